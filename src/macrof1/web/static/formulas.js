// Both formulas with the matrix's own numbers, step by step. All numbers come from the library.

import { $, el, named, score, whole } from "./dom.js";

const MOST_SHOWN = 8;

function steps(title, kind, lines, result) {
  return el("div", { class: `formula ${kind}` }, el("h3", {}, title), ...lines, el("p", { class: "result" }, result));
}

// lit(index or null) highlights the cells of a class while its step is hovered or focused.
export function formulas(target, answer, lit) {
  const classes = answer.per_class;
  const n = classes.length;
  const [one, many] = answer.unit;
  const shown = classes.slice(0, MOST_SHOWN);
  const rest = n > shown.length ? [el("li", {}, `… and ${n - shown.length} more ${many}`)] : [];
  const dots = n > shown.length ? " + …" : "";
  const step = (record, index, ...said) => el("li", {}, el("span", { tabindex: "0", class: "step",
    onpointerenter: () => lit(index), onpointerleave: () => lit(null), onfocus: () => lit(index), onblur: () => lit(null) }, ...said));
  const sum = (name) => shown.map((record) => score(record[name])).join(" + ") + dots;
  target.replaceChildren(
    steps(`Averaged F1: first F1 of every ${one}, then the mean`, "averaged", [
      el("ul", {}, ...shown.map((record, index) => step(record, index,
        "F1 of ", named(record.label), ` = 2 × ${whole(record.tp)} correct / (${whole(record.predicted)} predicted + ${whole(record.actual)} gold) = `, el("b", {}, score(record.f1)))), ...rest),
      el("p", {}, `(${sum("f1")}) / ${n}`),
    ], `= ${score(answer.averaged_f1)}`),
    steps("F1 of averages: first the means of precision and recall, then one F1", "of-averages", [
      el("ul", {}, ...shown.map((record, index) => step(record, index,
        named(record.label), `: precision ${whole(record.tp)} / ${whole(record.predicted)} = `, el("b", {}, score(record.precision)),
        `, recall ${whole(record.tp)} / ${whole(record.actual)} = `, el("b", {}, score(record.recall)))), ...rest),
      el("p", {}, `macro precision = (${sum("precision")}) / ${n} = ${score(answer.macro_precision)}`),
      el("p", {}, `macro recall = (${sum("recall")}) / ${n} = ${score(answer.macro_recall)}`),
      el("p", {}, `2 × ${score(answer.macro_precision)} × ${score(answer.macro_recall)} / (${score(answer.macro_precision)} + ${score(answer.macro_recall)})`),
    ], `= ${score(answer.f1_of_averages)}`),
  );
  $("formulas-hint").textContent = answer.beta === 1 ? "" : "The steps are those of F1; other values of beta weigh recall differently.";
}
