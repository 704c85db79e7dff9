// What the events of a run amount to, up to one of them. Nothing here touches the page.

/** A history without events; that of a branch begins at the step at which it was forked. */
export function empty(first = 0) {
  return { last: -1, events: [], visits: [], open: new Map(), first, steps: first, taken: new Map(), spent: new Map(), calls: new Map(), graphs: new Map() };
}

/** Adds the next event. Its number says where it belongs: one that is there already is left out. */
export function add(history, event) {
  if (event.seq <= history.last) return false;
  history.last = event.seq;
  history.events.push(event);
  if (event.graph) history.graphs.set(event.frame, event.graph);
  const act = ACTS[event.type];
  if (act) act(history, event);
  const visit = history.open.get(event.frame);
  // What begins a visit is in it already.
  if (visit && history.visits.at(-1).events[0] !== event) visit.events.push(event);
  for (const { budget, key, amount } of event.type === "charged" ? [event] : (event.spends ?? [])) spend(history, event, budgetName(budget, key), amount);
  return true;
}

const ACTS = {
  entered(history, event) {
    const visit = { node: event.node, frame: event.frame, visit: event.visit, step: history.steps, from: event.at, until: null, events: [event] };
    history.visits.push(visit);
    history.open.set(event.frame, visit);
  },
  took(history, event) {
    history.steps += 1;
    const name = `${history.graphs.get(event.frame)}/${event.edge}`;
    history.taken.set(name, (history.taken.get(name) ?? 0) + 1);
    leave(history, event);
  },
  called(history, event) {
    history.calls.set(event.call, { ...event, step: history.steps });
  },
  resolved(history, event) {
    const call = history.calls.get(event.call);
    if (!call) return;
    call.result = event;
  },
  // A node whose entry fails is not entered.
  failed(history, event) {
    const open = history.open.get(event.frame);
    if (open?.until === null && open.node === event.node) return;
    const visit = { node: event.node, frame: event.frame, step: history.steps, from: event.at, until: event.at, events: [event] };
    history.visits.push(visit);
  },
  done: leave,
};

function leave(history, event) {
  const visit = history.open.get(event.frame);
  if (visit) visit.until = event.at;
}

/** The name of a budget as reports have it: with the key where it is one of a family. */
function budgetName(budget, key) {
  if (key === undefined) return budget;
  const place = budget.lastIndexOf(".");
  return `${budget.slice(0, place)}['${key}'].${budget.slice(place + 1)}`;
}

function spend(history, event, budget, amount) {
  const name = spentName(history.graphs.get(event.frame), budget);
  const series = history.spent.get(name) ?? [];
  const before = series.at(-1)?.total ?? 0;
  const node = event.node ?? history.open.get(event.frame)?.node ?? "";
  series.push({ step: history.steps, node, amount, total: before + amount });
  history.spent.set(name, series);
}

/** The name under which a history has what was spent of a budget of a graph. */
export const spentName = (graph, budget) => `${graph}/${budget}`;

/** The last thing that failed, with the step at which it did; null if nothing has. */
export function lastFault(history) {
  for (const visit of history.visits.toReversed()) {
    const event = visit.events.findLast(({ type, ok }) => type === "failed" || (type === "resolved" && !ok));
    if (event) return { node: visit.node, step: visit.step, error: event.error ?? {} };
  }
  return null;
}

/** The run went back to a step: what came after it lies on a branch that was left. */
export function back(history, step) {
  const { last } = history;
  Object.assign(history, upTo(history, step), { last });
}

/** The same history as it was after a number of steps. */
export function upTo(history, step) {
  const earlier = empty(history.first);
  for (const event of history.events) {
    if (event.type === "took" && earlier.steps >= step) break;
    add(earlier, event);
  }
  return earlier;
}

/** How the drawing is marked: nodes that a lane has passed or stands at, edges that were taken; each once. */
export function marks(history, { ended } = {}) {
  const marked = new Map();
  const mark = (graph, kind, name, word) => marked.set(`${graph}/${kind}/${name}/${word}`, [graph, kind, name, word]);
  for (const name of history.taken.keys()) {
    const place = name.lastIndexOf("/");
    mark(name.slice(0, place), "edge", name.slice(place + 1), "taken");
  }
  for (const visit of history.visits) {
    const isHere = !ended && visit.until === null && history.open.get(visit.frame) === visit;
    mark(history.graphs.get(visit.frame), "node", visit.node, isHere ? "here" : "passed");
  }
  return [...marked.values()];
}
