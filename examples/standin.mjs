// Stands in for hosted models: speaks as OpenAI, Anthropic, Gemini and Ollama do, and takes its answers out of a file.
//
//     node standin.mjs ANSWERS.json [PORT]
//
// It needs the package `@copilotkit/aimock`. When it is ready it prints its address. It ends when its standard input ends, so
// it does not outlive a program that started it, or with Ctrl-C.
import { LLMock } from "@copilotkit/aimock";

const [answers, port] = process.argv.slice(2);
const standin = new LLMock({ port: Number(port ?? 0) });
standin.loadFixtureFile(answers);
await standin.start();
console.log(standin.url);
process.stdin.resume().on("end", () => process.exit(0));
