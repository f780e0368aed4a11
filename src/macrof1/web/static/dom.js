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

export function list(target, sentences) {
  target.replaceChildren(...sentences.map((sentence) => el("li", {}, sentence)));
}

// A term that the glossary explains.
export const term = (text, name) => el("button", { type: "button", class: "term", "aria-describedby": `term-${name}` }, text);

// columns: {title, term?: its name in the glossary, text?: left-aligned, value: (row) => text or node, head?: row header}
export function table(target, columns, rows) {
  // Rows displayed as blocks on a narrow screen remain table rows for screen readers.
  const role = target.classList.contains("stack") ? (name) => name : () => null;
  const told = (column, row) => {
    const value = column.value(row);
    return typeof value === "string" ? breakable(value) : [value];
  };
  const head = el("tr", { role: role("row") }, ...columns.map((column) => el("th", { scope: "col", role: role("columnheader"), class: column.text || column.head ? "text" : null }, column.term ? term(column.title, column.term) : column.title)));
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
export const whole = (value) => value.toLocaleString("en-US", { maximumFractionDigits: 6 });
export const percentOf = (part, total) => (total > 0 ? (100 * part) / total : 0);
