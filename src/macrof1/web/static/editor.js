// The table of cells: edit, drag, rename, add and remove classes, paste. It is one tab stop; arrow keys move inside it.

import { $, el, named } from "./dom.js";

const MOST_EDITED = 30;
const MOST_TOLD = 10;
const MOST_CELL = Number.MAX_SAFE_INTEGER;
const DRAG_FROM = 6; // pixels
const TENFOLD = 160; // pixels of dragging that multiply a cell by ten

// A cell's number, or null if the text is not a number.
export function number(text) {
  const plain = text.trim();
  // Accept a comma only as a thousands separator: 1,5 is ambiguous, either 15 or one and a half.
  const grouped = /^\d{1,3}(,\d{3})+(\.\d*)?$/.test(plain);
  if (!grouped && !/^(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i.test(plain)) return null;
  const value = Number(plain.replaceAll(",", ""));
  return value <= MOST_CELL ? value : null;
}

let stop = [0, 0]; // the cell that receives focus from the Tab key

// Highlight the row and the column of a class.
export function light(index) {
  for (const field of $("cells").querySelectorAll("[data-row]")) {
    const isLit = index !== null && (Number(field.dataset.row) === index || Number(field.dataset.column) === index);
    field.closest("td, th").classList.toggle("lit", isLit);
    field.closest("td, th").classList.toggle("hit", isLit && field.dataset.row === field.dataset.column);
  }
}

// matrix: {labels, matrix, rows}; changed(field) is called after every valid edit, pasted(text) with a pasted table.
export function draw(matrix, { changed, rebuilt, pasted }) {
  const target = $("cells");
  const n = matrix.labels.length;
  const many = n > MOST_EDITED;
  $("too-many").hidden = !many;
  $("add-class").disabled = n >= MOST_EDITED;
  $("cell-hint").textContent = "";
  for (const id of ["heat-map", "confusions"]) $(id).hidden = !many;
  target.closest(".wide").hidden = many;
  if (many) {
    $("too-many").textContent = `${n} classes: too many to edit by hand here; the scores are of all of them. The darker a point, the more rows; right ones stand on the diagonal. The ten most frequent confusions:`;
    target.replaceChildren();
    map(matrix);
    return;
  }
  target.classList.toggle("many", n > 4);
  const [row, column] = matrix.rows === "predicted" ? ["predicted", "gold"] : ["gold", "predicted"];
  const heads = matrix.labels.map(() => el("th", { scope: "col" }));
  const fields = () => target.querySelectorAll("[data-row]");
  const cells = () => target.querySelectorAll("input[data-column]:not(.name)");
  const describe = () => {
    heads.forEach((head, index) => {
      head.replaceChildren(named(matrix.labels[index]));
      head.title = matrix.labels[index];
    });
    for (const field of fields()) {
      const [i, j] = [Number(field.dataset.row), Number(field.dataset.column)];
      const name = matrix.labels[i];
      field.setAttribute("aria-label", j < 0 ? `Name of class ${i + 1}` : j === n ? `Remove class ${name}` : `${row} ${name}, ${column} ${matrix.labels[j]}`);
    }
  };
  const settle = () => {
    stop = [Math.min(stop[0], n - 1), Math.min(stop[1], n)];
    for (const field of fields()) field.tabIndex = Number(field.dataset.row) === stop[0] && Number(field.dataset.column) === stop[1] ? 0 : -1;
  };
  const focus = (i, j) => {
    const width = n + 2; // the name, the cells, the button
    const next = target.querySelector(`[data-row="${(i + n) % n}"][data-column="${((j + 1 + width) % width) - 1}"]`);
    next.focus();
    next.select?.();
  };
  const complaints = () => {
    const first = [...cells()].find((input) => input.hasAttribute("aria-invalid"));
    $("cell-hint").textContent = first ? `Marked, and not counted yet: “${first.value}”. Expected a number from 0 to ${MOST_CELL.toLocaleString("en-US")}, with a point before decimals.` : "";
  };
  // A column is as wide as its longest number.
  const fit = () => {
    const longest = matrix.labels.map(() => 3);
    for (const input of cells()) longest[input.dataset.column] = Math.max(longest[input.dataset.column], input.value.length);
    for (const input of cells()) input.style.setProperty("--digits", Math.min(20, longest[input.dataset.column]));
  };
  const take = (input, i, j) => {
    const given = number(input.value);
    if (given === null) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    fit();
    complaints();
    if (given === null) return;
    matrix.matrix[i][j] = given;
    changed(`cell ${i},${j}`);
  };
  const move = (event, i, j) => {
    const { selectionStart: caret = 0, value: text = "" } = event.target;
    const isButton = event.target.tagName === "BUTTON";
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ...(isButton ? {} : { Enter: [1, 0] }) }[event.key]
      ?? (event.key === "ArrowLeft" && (isButton || caret === 0) ? [0, -1] : event.key === "ArrowRight" && (isButton || caret === text.length) ? [0, 1] : null);
    if (step && !event.shiftKey && !event.ctrlKey && !event.altKey) {
      event.preventDefault();
      focus(i + step[0], j + step[1]);
    }
  };
  const place = (field, i, j) => {
    field.dataset.row = i;
    field.dataset.column = j;
    field.addEventListener("keydown", (event) => move(event, i, j));
    field.addEventListener("focus", () => { stop = [i, j]; settle(); });
    return field;
  };
  const body = matrix.labels.map((label, i) => {
    const name = place(el("input", { class: "name", value: label, dir: "auto", maxlength: 200, spellcheck: "false", autocomplete: "off", oninput: (event) => {
      matrix.labels[i] = event.target.value;
      describe();
      changed(`name ${i}`);
    } }), i, -1);
    const numbers = matrix.matrix[i].map((value, j) => {
      const input = place(el("input", { value, inputmode: "decimal", autocomplete: "off", oninput: (event) => take(event.target, i, j) }), i, j);
      draggable(input, () => take(input, i, j));
      return el("td", { class: i === j ? "diagonal" : null }, input);
    });
    const remove = place(el("button", { type: "button", disabled: n === 1, onclick: () => {
      matrix.labels.splice(i, 1);
      matrix.matrix.splice(i, 1);
      for (const line of matrix.matrix) line.splice(i, 1);
      rebuilt();
      $("add-class").focus();
    } }, "×"), i, n);
    return el("tr", {}, el("th", { scope: "row" }, name), ...numbers, el("td", {}, remove));
  });
  const hadFocus = target.contains(document.activeElement);
  const head = el("tr", {}, el("td", { class: "corner" }, `${row} ↓`, el("br"), `${column} →`), ...heads, el("td"));
  target.replaceChildren(el("thead", {}, head), el("tbody", {}, ...body));
  describe();
  fit();
  settle();
  if (hadFocus) focus(...stop);
  target.onpaste = (event) => {
    const text = event.clipboardData.getData("text");
    if (/[\t\n]/.test(text.trim())) {
      event.preventDefault();
      pasted(text);
    }
  };
}

// Many classes: a heat map, on a scale that also shows rare confusions, and the ten that matter.
function map({ labels, matrix: cells, rows }) {
  const n = labels.length;
  const canvas = $("heat-map");
  Object.assign(canvas, { width: n, height: n });
  canvas.setAttribute("aria-label", `Heat map of ${n} classes, ${rows === "gold" ? "gold" : "predicted"} classes as rows; the list below has the largest confusions`);
  const most = Math.log1p(Math.max(...cells.map((row) => Math.max(...row))));
  const image = new ImageData(n, n);
  const confused = [];
  cells.forEach((row, i) => row.forEach((cell, j) => {
    const at = 4 * (i * n + j);
    image.data.set(i === j ? [0, 120, 190] : [200, 60, 140], at);
    image.data[at + 3] = cell > 0 ? 40 + Math.round((215 * Math.log1p(cell)) / most) : 0;
    if (i !== j && cell > 0) confused.push([cell, i, j]);
  }));
  canvas.getContext("2d").putImageData(image, 0, 0);
  confused.sort((one, other) => other[0] - one[0]);
  const [gold, predicted] = rows === "gold" ? [1, 2] : [2, 1];
  $("confusions").replaceChildren(...confused.slice(0, MOST_TOLD).map((one) => el("li", {}, named(labels[one[gold]]), " predicted as ", named(labels[one[predicted]]), `: ${one[0].toLocaleString("en-US")}`)));
}

// Dragging a cell up increases it, down decreases it; touch still scrolls the page.
function draggable(input, taken) {
  let from = null;
  input.addEventListener("pointerdown", (event) => {
    const value = number(input.value);
    from = event.pointerType === "touch" || event.button !== 0 || value === null ? null : { y: event.clientY, value, dragging: false };
    if (from) input.setPointerCapture(event.pointerId); // a fast drag leaves the cell immediately
  });
  input.addEventListener("pointermove", (event) => {
    if (!from || !(event.buttons & 1)) return;
    const up = from.y - event.clientY;
    if (!from.dragging && Math.abs(up) < DRAG_FROM) return;
    from.dragging = true;
    event.preventDefault();
    const isWhole = Number.isInteger(from.value);
    const larger = from.value > 0 ? from.value * 10 ** (up / TENFOLD) : Math.max(0, up / 4);
    const next = isWhole ? Math.round(larger) : Number(larger.toPrecision(4));
    input.value = Math.min(MOST_CELL, next);
    taken();
  });
  input.addEventListener("pointerup", () => { from = null; });
}
