// Times, amounts and states in words.

const UNITS = [
  ["d", 86400],
  ["h", 3600],
  ["min", 60],
  ["s", 1],
];

/** A length of time in seconds, in its largest unit. Number and unit stay in one line. */
export function span(seconds) {
  const amount = Math.max(0, Math.round(seconds));
  const [unit, size] = UNITS.find(([, size]) => amount >= size) ?? UNITS.at(-1);
  return `${Math.floor(amount / size)}\u00a0${unit}`;
}

/** How long ago a time was, or how far ahead it is. */
export function distance(time, now = Date.now()) {
  const seconds = (now - Date.parse(time)) / 1000;
  return seconds >= 0 ? `${span(seconds)} ago` : `in ${span(-seconds)}`;
}

/** A time of day with its date, as the reader's own clock shows it. */
export function moment(time) {
  return new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}

/** An amount of dollars, which the API has as text: in cents, or in smaller parts where it is small. */
export function dollars(amount) {
  const number = Number(amount);
  const digits = Math.abs(number) < 0.1 ? 4 : 2;
  return `$${number.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: digits })}`;
}

/** A value in one line. A text that is alone stands without its quotes. */
export function line(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const SECONDS = { d: 86400, h: 3600, m: 60, s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 };

/**
 * The unit of a budget, by an amount of it as reports write it. Events count in whole numbers: billionths of a dollar or of a second, or
 * what the budget counts. `words` writes such a number, `number` reads what a report has.
 */
export function unitOf(amount) {
  if (typeof amount !== "string") return { number: Number, words: (number) => number.toLocaleString("en") };
  if (/^-?[\d.]+$/.test(amount)) return { number: (text) => Number(text) * 1e9, words: (number) => dollars(number / 1e9) };
  const number = (text) => [...text.matchAll(/([\d.]+)([a-z]+)/g)].reduce((sum, [, count, unit]) => sum + Number(count) * SECONDS[unit] * 1e9, 0);
  return { number, words: (number) => span(number / 1e9) };
}
