// What the events of a run amount to, up to one of them. Nothing here touches the page.

/** A history without events. */
export function empty() {
  return { last: -1, events: [], visits: [], open: new Map(), steps: 0, taken: new Map(), spent: new Map(), calls: new Map(), graphs: new Map() };
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
  if (visit && event.type !== "entered" && (event.type !== "failed" || event.node === visit.node)) visit.events.push(event);
  for (const { budget, amount } of event.spends ?? []) spend(history, event, budget, amount);
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

function spend(history, event, budget, amount) {
  const series = history.spent.get(budget) ?? [];
  const before = series.at(-1)?.total ?? 0;
  series.push({ step: history.steps, seq: event.seq, node: event.node, amount, total: before + amount });
  history.spent.set(budget, series);
}

/** The run went back to a step: what came after it lies on a branch that was left. */
export function back(history, step) {
  const { last } = history;
  Object.assign(history, upTo(history, step), { last });
}

/** The same history as it was after a number of steps. */
export function upTo(history, step) {
  const earlier = empty();
  for (const event of history.events) {
    if (event.type === "took" && earlier.steps >= step) break;
    add(earlier, event);
  }
  return earlier;
}

/** How the drawing is marked: nodes that a lane has passed or stands at, edges that were taken. */
export function marks(history, { ended } = {}) {
  const marked = [...history.taken.keys()].map((name) => {
    const place = name.lastIndexOf("/");
    return [name.slice(0, place), "edge", name.slice(place + 1), "taken"];
  });
  for (const visit of history.visits) {
    const here = !ended && visit.until === null && history.open.get(visit.frame) === visit;
    marked.push([history.graphs.get(visit.frame), "node", visit.node, here ? "here" : "passed"]);
  }
  return marked;
}
