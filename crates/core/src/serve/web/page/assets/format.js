// Times, amounts and states in words.

const UNITS = [
  ["d", 86400],
  ["h", 3600],
  ["min", 60],
  ["s", 1],
];

/** A length of time in seconds, in its largest unit. */
export function span(seconds) {
  const amount = Math.max(0, Math.round(seconds));
  const [unit, size] = UNITS.find(([, size]) => amount >= size) ?? UNITS.at(-1);
  return `${Math.floor(amount / size)} ${unit}`;
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

/** An amount of dollars, which the API has as text. */
export function dollars(amount) {
  const number = Number(amount);
  return `$${number.toFixed(number < 0.1 ? 4 : 2)}`;
}

/** A value in one line. A text that is alone stands without its quotes. */
export function line(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}
