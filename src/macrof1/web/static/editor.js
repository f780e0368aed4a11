// The table of cells: edit, rename, add and remove classes, paste.

import { $, el } from "./dom.js";

const MOST_EDITED = 30;
const MOST_CELL = Number.MAX_SAFE_INTEGER;

// A cell's number, or null where the text is none.
export function number(text) {
  const plain = text.trim();
  // A comma is only taken where it parts thousands: 1,5 would be read as 15, or as one and a half.
  const grouped = /^\d{1,3}(,\d{3})+(\.\d*)?$/.test(plain);
  if (!grouped && !/^(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i.test(plain)) return null;
  const value = Number(plain.replaceAll(",", ""));
  return value <= MOST_CELL ? value : null;
}

// matrix: {labels, matrix, rows}; changed() is called after every edit that holds, pasted(text) with a table.
export function draw(matrix, { changed, rebuilt, pasted }) {
  const target = $("cells");
  const n = matrix.labels.length;
  const many = n > MOST_EDITED;
  $("too-many").hidden = !many;
  $("add-class").disabled = n >= MOST_EDITED;
  $("cell-hint").textContent = "";
  if (many) {
    $("too-many").textContent = `${n} classes: too many to edit by hand here; the scores below are of all of them.`;
    target.replaceChildren();
    return;
  }
  target.classList.toggle("many", n > 4);
  const [row, column] = matrix.rows === "predicted" ? ["predicted", "gold"] : ["gold", "predicted"];
  const heads = [];
  const nameOf = (index) => matrix.labels[index];
  const describe = () => {
    heads.forEach((head, index) => {
      head.textContent = nameOf(index);
      head.title = nameOf(index);
    });
    for (const input of target.querySelectorAll("input[data-row]")) {
      input.setAttribute("aria-label", `${row} ${nameOf(input.dataset.row)}, ${column} ${nameOf(input.dataset.column)}`);
    }
    for (const button of target.querySelectorAll("button")) button.setAttribute("aria-label", `Remove class ${nameOf(button.dataset.row)}`);
    for (const input of target.querySelectorAll(".name")) input.setAttribute("aria-label", `Name of class ${Number(input.dataset.name) + 1}`);
  };
  const focus = (i, j) => {
    const next = target.querySelector(`input[data-row="${(i + n) % n}"][data-column="${(j + n) % n}"]`);
    next.focus();
    next.select();
  };
  const inputs = () => target.querySelectorAll("input[data-row]");
  const complaints = () => {
    const first = [...inputs()].find((input) => input.hasAttribute("aria-invalid"));
    $("cell-hint").textContent = first ? `Marked, and not counted yet: “${first.value}”. Expected a number from 0 to ${MOST_CELL.toLocaleString("en-US")}, with a point before decimals.` : "";
  };
  // A column is as wide as its longest number wants.
  const fit = () => {
    const longest = matrix.labels.map(() => 3);
    for (const input of inputs()) longest[input.dataset.column] = Math.max(longest[input.dataset.column], input.value.length);
    for (const input of inputs()) input.style.setProperty("--digits", Math.min(20, longest[input.dataset.column]));
  };
  const body = matrix.labels.map((label, i) => {
    const name = el("input", { class: "name", value: label, "data-name": i, maxlength: 200, spellcheck: "false", oninput: (event) => {
      matrix.labels[i] = event.target.value;
      describe();
      changed();
    } });
    const cells = matrix.matrix[i].map((value, j) => el("td", { class: i === j ? "diagonal" : null }, el("input", {
      value, inputmode: "decimal", "data-row": i, "data-column": j, autocomplete: "off",
      oninput: (event) => {
        const given = number(event.target.value);
        if (given === null) event.target.setAttribute("aria-invalid", "true");
        else event.target.removeAttribute("aria-invalid");
        fit();
        complaints();
        if (given === null) return;
        matrix.matrix[i][j] = given;
        changed();
      },
      onkeydown: (event) => {
        const { selectionStart: caret, value: text } = event.target;
        const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], Enter: [1, 0] }[event.key]
          ?? (event.key === "ArrowLeft" && caret === 0 ? [0, -1] : event.key === "ArrowRight" && caret === text.length ? [0, 1] : null);
        if (step && !event.shiftKey && !event.ctrlKey && !event.altKey) {
          event.preventDefault();
          focus(i + step[0], j + step[1]);
        }
      },
    })));
    const remove = el("button", { type: "button", "data-row": i, disabled: n === 1, onclick: () => {
      matrix.labels.splice(i, 1);
      matrix.matrix.splice(i, 1);
      for (const line of matrix.matrix) line.splice(i, 1);
      rebuilt();
      $("add-class").focus();
    } }, "×");
    return el("tr", {}, el("th", { scope: "row" }, name), ...cells, el("td", {}, remove));
  });
  const head = el("tr", {}, el("th", { class: "corner" }, `${row} ↓`, el("br"), `${column} →`),
    ...matrix.labels.map(() => { const cell = el("th", { scope: "col" }); heads.push(cell); return cell; }), el("td"));
  target.replaceChildren(el("thead", {}, head), el("tbody", {}, ...body));
  describe();
  fit();
  target.onpaste = (event) => {
    const text = event.clipboardData.getData("text");
    if (/[\t\n]/.test(text.trim())) {
      event.preventDefault();
      pasted(text);
    }
  };
}
