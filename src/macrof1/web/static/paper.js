// The paper: its claims and figures, next to our re-run.

import { ask, complain } from "./api.js";
import { $, chart, el, score, table } from "./dom.js";
import { takeAlong } from "./saving.js";

let asked = false;

function show(answer) {
  $("paper-result").hidden = false;
  $("paper-status").textContent = `A quick run: ${answer.seeds} seeds and coarse grids. The whole one: ${answer.command}.`;
  const kind = (verdict) => (["false", "outside"].includes(verdict) ? "bad" : "");
  table($("paper-claims"), [
    { title: "claim", head: true, value: (claim) => claim.claim },
    { title: "the paper", text: true, value: (claim) => claim.paper },
    { title: "ours", text: true, value: (claim) => claim.ours },
    { title: "verdict", text: true, value: (claim) => el("span", { class: `badge ${kind(claim.verdict)}` }, claim.verdict) },
    { title: "why", text: true, value: (claim) => claim.why },
  ], answer.claims);
  table($("paper-tables"), [
    { title: "table", head: true, value: (row) => el("a", { href: `#/matrix?preset=${row.table.toLowerCase().replace(" ", "-")}` }, row.table) },
    { title: "predictions as rows", text: true, value: (row) => row.matrix },
    { title: "averaged F1", value: (row) => `${row.averaged_f1} = ${score(row.averaged_f1_decimal)}` },
    { title: "F1 of averages", value: (row) => `${row.f1_of_averages} = ${score(row.f1_of_averages_decimal)}` },
    { title: "gap", value: (row) => score(row.gap_decimal) },
  ], answer.tables);
  $("paper-figures").replaceChildren(...answer.figures.map((figure) => {
    const target = el("figure", { class: "chart" });
    const place = el("div", {}, target);
    chart(target, figure.chart, figure.caption);
    takeAlong(target, figure.caption.split(":")[0]);
    return place;
  }));
}

export async function start() {}

export async function open() {
  if (asked) return;
  asked = true;
  $("paper-status").textContent = "Running the paper's experiments again: this takes some seconds …";
  try {
    show(await ask("/api/paper"));
  } catch (error) {
    asked = false;
    $("paper-status").textContent = "";
    complain(error, "paper");
  }
}
