// Takes the numbers along: any table of the page as CSV, TSV, JSON or LaTeX.

import { $, el } from "./dom.js";

const quoted = (mark) => (cell) => (cell.includes(mark) || /["\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const lines = (rows, mark) => `${rows.map((row) => row.map(quoted(mark)).join(mark)).join("\n")}\n`;
const LATEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "−": "$-$", "–": "--", "…": "\\dots{}" };
const tex = (cell) => cell.replaceAll(/[\\~^−–…]|[&%$#_{}]/g, (mark) => LATEX[mark] ?? `\\${mark}`);

// rows: the first one names the columns.
const FORMATS = {
  CSV: (rows) => lines(rows, ","),
  TSV: (rows) => lines(rows, "\t"),
  JSON: ([names, ...rows]) => `${JSON.stringify(rows.map((row) => Object.fromEntries(row.map((cell, place) => [names[place], plain(cell)]))), null, 1)}\n`,
  LaTeX: ([names, ...rows]) => [`\\begin{tabular}{${names.map((_, place) => (rows.every((row) => plain(row[place]) === null || typeof plain(row[place]) === "number") ? "r" : "l")).join("")}}`, "\\toprule",
    `${names.map(tex).join(" & ")} \\\\`, "\\midrule", ...rows.map((row) => `${row.map(tex).join(" & ")} \\\\`), "\\bottomrule", "\\end{tabular}", ""].join("\n"),
};
const ENDINGS = { CSV: "csv", TSV: "tsv", JSON: "json", LaTeX: "tex" };

// A number where the text is one; no value where it is empty or a dash.
function plain(cell) {
  const number = /^[+-]?[\d,]+(\.\d+)?$/.test(cell) ? Number(cell.replaceAll(",", "")) : NaN;
  return cell === "" || cell === "–" ? null : Number.isNaN(number) ? cell : number;
}

// What a table on the page shows; columns of equal name are told apart by what stands before them.
function rowsOf(table) {
  const rows = [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent.replaceAll(/[↕▲▼\u2068\u2069]/g, "").trim()));
  const [names = [], ...rest] = rows;
  const told = names.map((name, place) => (names.indexOf(name) === names.lastIndexOf(name) && name ? name : `${name || "column"} ${names.slice(0, place).reverse().find((one) => one && one !== name) ?? place + 1}`.trim()));
  const used = told.map((_, place) => place).filter((place) => rest.some((row) => row[place]));
  return [used.map((place) => told[place]), ...rest.map((row) => used.map((place) => row[place] ?? ""))];
}

export function download(text, name, type = "text/plain") {
  const address = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// Buttons below an element: source is the id of a table, or a function that gives the rows.
export function offer(after, name, source) {
  const bar = el("p", { class: "take" }, el("span", {}, `Save ${name} as `));
  for (const [format, written] of Object.entries(FORMATS)) {
    bar.append(el("button", { type: "button", "aria-label": `Save ${name} as ${format}`, onclick: () => {
      const rows = typeof source === "string" ? rowsOf($(source)) : source();
      download(written(rows), `${name.replaceAll(/\W+/g, "-")}.${ENDINGS[format]}`);
    } }, format));
  }
  after.after(bar);
}
