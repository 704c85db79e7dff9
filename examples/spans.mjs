// Runs a command and prints the spans that it sends, as a tree. It stands where a collector of OpenTelemetry would.
//
//     node spans.mjs COMMAND WORDS...
import { spawn } from "node:child_process";
import { createServer } from "node:http";

const spans = [];
const collector = createServer(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const { resourceSpans = [] } = JSON.parse(Buffer.concat(pieces));
  for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
  response.setHeader("content-type", "application/json").end("{}");
});

const shown = (value) => (value.arrayValue ? value.arrayValue.values.map(shown).join(",") : Object.values(value)[0]);

function print(parent, indent) {
  const own = spans.filter((span) => (span.parentSpanId || "") === parent);
  own.sort((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)));
  for (const { spanId, name, attributes, status } of own) {
    console.log(`${indent}${name}${status?.code === 2 ? " (failed)" : ""}`);
    for (const { key, value } of attributes.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
      if (key.startsWith("gen_ai.") || key === "error.type") console.log(`${indent}  | ${key}: ${shown(value)}`);
    }
    print(spanId, `${indent}  `);
  }
}

collector.listen(0, "127.0.0.1", () => {
  const [command, ...words] = process.argv.slice(2);
  const endpoint = `http://127.0.0.1:${collector.address().port}`;
  const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" };
  const child = spawn(command, words, { env, stdio: "inherit" });
  child.on("error", (error) => console.error(`error: ${error.message}`));
  child.on("close", (code) => {
    print("", "");
    collector.closeAllConnections();
    collector.close();
    process.exitCode = code ?? 1;
  });
});
