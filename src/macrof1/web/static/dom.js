// Builds elements: data is always inserted as text, never as markup.

export const $ = (id) => document.getElementById(id);

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children) {
    if (child !== null && child !== undefined) element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

export const el = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
export const svg = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

// Change the page without moving an element in the window: what folds above it is made up for by scrolling and, where
// the page is too short for that, by space that stays until the next change.
export function keepStill(element, change) {
  const top = () => element.getBoundingClientRect().top;
  const { style } = document.documentElement;
  const spacer = $("spacer");
  const before = top();
  style.overflowAnchor = "none"; // the browser would make up for it once more
  spacer.style.height = "0";
  change();
  window.scrollBy({ top: top() - before, behavior: "instant" });
  spacer.style.height = `${Math.max(0, before - top())}px`;
  requestAnimationFrame(() => requestAnimationFrame(() => { style.overflowAnchor = ""; }));
}

// Bring the answer to what was pasted or dropped into view, and to those who do not see it.
export function answered(element) {
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: "start", behavior: "instant" });
}

// A name among other text: its direction does not reach beyond it, whether in an element or in plain text.
export const named = (name) => el("bdi", {}, ...breakable(String(name)));
const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
export const isolated = (name) => (FROM_RIGHT.test(name) ? `\u2068${name}\u2069` : name);

// A sentence of the library, with the names in it that are written from the right set apart.
export function sentenceOf(text, names) {
  const apart = names.map(String).filter((name) => FROM_RIGHT.test(name)).sort((one, other) => other.length - one.length);
  if (!apart.length) return [text];
  const pattern = new RegExp(`(${apart.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`);
  return text.split(pattern).map((part, index) => (index % 2 ? named(part) : part));
}

export function list(target, sentences, names = []) {
  target.replaceChildren(...sentences.map((sentence) => el("li", {}, ...sentenceOf(sentence, names))));
}

// A term that the glossary explains.
export const term = (text, name) => el("button", { type: "button", class: "term", "aria-describedby": `term-${name}` }, text);

// columns: {title, term?: its name in the glossary, text?: left-aligned, value: (row) => text or node, head?: row header,
// sort?: (row) => what the rows are sorted by}
export function table(target, columns, rows, sorted = null) {
  if (sorted) {
    const by = columns[sorted.column].sort;
    const order = (one, other) => (typeof by(one) === "string" ? by(one).localeCompare(by(other)) : by(one) - by(other));
    rows = [...rows].sort((one, other) => (sorted.down ? -1 : 1) * order(one, other));
  }
  // The first click on numbers puts the largest first.
  const heading = (column, index) => [column.term ? term(column.title, column.term) : column.title, !column.sort || rows.length < 2 ? null
    : el("button", { type: "button", class: "sort", "data-column": index, "aria-label": `Sort by ${column.title}`, onclick: () => {
      const isAgain = sorted?.column === index;
      table(target, columns, rows, { column: index, down: isAgain ? !sorted.down : typeof column.sort(rows[0]) === "number" });
      target.querySelector(`[data-column="${index}"]`).focus();
    } }, sorted?.column !== index ? "↕" : sorted.down ? "▼" : "▲")];
  // Rows displayed as blocks on a narrow screen remain table rows for screen readers.
  const role = target.classList.contains("stack") ? (name) => name : () => null;
  const told = (column, row) => {
    const value = column.value(row);
    return typeof value !== "string" ? [value] : column.head || column.text ? [named(value)] : [value];
  };
  const head = el("tr", { role: role("row") }, ...columns.map((column, index) => el("th", { scope: "col", role: role("columnheader"), class: column.text || column.head ? "text" : null,
    "aria-sort": sorted?.column === index ? (sorted.down ? "descending" : "ascending") : null }, ...heading(column, index))));
  const body = rows.map((row) => el("tr", { role: role("row") }, ...columns.map((column) => (
    column.head ? el("th", { scope: "row", role: role("rowheader") }, ...told(column, row))
      : el("td", { role: role("cell"), class: column.text ? "text" : null, "data-title": column.title || null }, ...told(column, row))))));
  if (role("table")) target.setAttribute("role", "table");
  target.replaceChildren(el("thead", { role: role("rowgroup") }, head), el("tbody", { role: role("rowgroup") }, ...body));
}

// Long names may break after a slash, a bar or an underscore.
export const breakable = (text) => text.split(/(?<=[/|_])/).flatMap((part, index) => (index ? [el("wbr"), part] : [part]));

export function chart(target, drawing, caption) {
  // As an image, because scripts and links inside it are inactive.
  const source = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(drawing);
  target.tabIndex = 0; // wide ones scroll
  target.replaceChildren(el("img", { src: source, alt: caption }), el("figcaption", {}, caption));
}

// Rounds as the library does: ties go to the even digit, while toFixed rounds them up. Only numbers that are exact in
// binary can be ties.
export function fixed(value, digits) {
  const unit = 10 ** digits;
  const isBetween = Math.abs(value * unit) % 1 === 0.5 && Number.isInteger(value * 2 ** (digits + 1));
  const below = Math.floor(value * unit);
  return (isBetween ? (below + Math.abs(below % 2)) / unit : value).toFixed(digits);
}
export const score = (value) => (value === null || value === undefined ? "–" : fixed(value, 4));
// A gap that is not zero is never printed as one: 0.7810 and 0.7811 do not agree.
export const gapText = (value) => (value > 0 && score(value) === "0.0000" ? "<0.0001" : score(value));
export const whole = (value) => value.toLocaleString("en-US", { maximumFractionDigits: 6 });
export const percentOf = (part, total) => (total > 0 ? (100 * part) / total : 0);
