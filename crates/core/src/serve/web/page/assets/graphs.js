// The table of graphs.

import { get, path } from "./api.js";
import { fill, h } from "./dom.js";

export async function graphs(room, _, { signal }) {
  const known = (await get("/graphs", { signal })).graphs;
  const rows = known.map((graph) =>
    h("tr", {}, h("th", { scope: "row" }, h("a", { href: path("graphs", graph.name) }, graph.name)), h("td", {}, graph.title ?? ""), h("td", {}, graph.file), h("td", {}, graph.runnable ? "" : h("span", { class: "badge waits" }, "shown, not run"))),
  );
  const head = ["Graph", "Title", "File", ""].map((name) => h("th", { scope: "col" }, name));
  fill(room, h("h1", {}, "Graphs"), h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows))));
}
