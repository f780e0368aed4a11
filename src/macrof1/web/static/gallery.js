// The gallery: published reports, each with its verdict, reason, both scores and a link.

import { ask, complain } from "./api.js";
import { $, el, named, table } from "./dom.js";
import { decode, encode, write } from "./state.js";
import { COLUMNS, VERDICTS } from "./verdicts.js";

const AT_ONCE = 40;
let cases = null;
let kind = "";
let most = AT_ONCE;

function show() {
  const wanted = $("gallery-find").value.trim().toLowerCase();
  const kept = cases.filter((one) => (!kind || one.verdict === kind) && `${one.name} ${one.source}`.toLowerCase().includes(wanted));
  const counts = Object.entries(VERDICTS).map(([verdict, name]) => [name, kept.filter((one) => one.verdict === verdict).length]).filter(([, n]) => n);
  $("gallery-count").textContent = `${kept.length} of ${cases.length} reports${counts.length ? ": " : "."}${counts.map(([name, n]) => `${name} ${n}`).join(", ")}`;
  table($("gallery-cases"), [
    { title: "report", head: true, value: (one) => el("a", { href: one.link }, named(one.name)) },
    COLUMNS.printed, COLUMNS.verdict, COLUMNS.averaged, COLUMNS.ofAverages,
    { title: "why", text: true, value: (one) => one.findings[0]?.message ?? one.reason },
    { title: "source", text: true, value: (one) => one.source },
  ], kept.slice(0, most));
  $("gallery-more").hidden = kept.length <= most;
  $("gallery-more").textContent = `Show ${Math.min(AT_ONCE, kept.length - most)} more`;
}

export async function start() {
  $("gallery-verdict").replaceChildren(el("option", { value: "" }, "any"), ...Object.entries(VERDICTS).map(([value, title]) => el("option", { value }, title)));
  const choose = (typed) => {
    kind = $("gallery-verdict").value;
    most = AT_ONCE;
    write("gallery", { verdict: encode(kind), find: encode($("gallery-find").value.trim()) }, typed);
    if (cases) show();
  };
  $("gallery-verdict").addEventListener("change", () => choose(null));
  $("gallery-find").addEventListener("input", () => choose("find"));
  $("gallery-more").addEventListener("click", () => {
    const first = most;
    most += AT_ONCE;
    show();
    $("gallery-cases").querySelectorAll("tbody a")[first].focus();
  });
}

export async function open(state) {
  kind = Object.hasOwn(VERDICTS, decode(state.verdict)) ? decode(state.verdict) : "";
  $("gallery-verdict").value = kind;
  $("gallery-find").value = decode(state.find);
  write("gallery", { verdict: encode(kind), find: state.find ?? "" });
  try {
    cases ??= (await ask("/api/gallery")).cases;
    show();
  } catch (error) {
    complain(error, "gallery");
  }
}
