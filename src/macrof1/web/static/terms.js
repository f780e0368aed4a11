// Terms with a dotted underline are explained in place on hover, focus or tap. The texts are in the glossary.

import { $ } from "./dom.js";

const LINGER = 200; // milliseconds for the pointer to move from the term to its explanation
let closing = 0;
let explained = null; // the term whose explanation is shown

function show(term) {
  clearTimeout(closing);
  explained = term;
  const box = $("meaning");
  box.textContent = $(term.getAttribute("aria-describedby")).textContent;
  if (!box.matches(":popover-open")) box.showPopover();
  const at = term.getBoundingClientRect();
  const below = at.bottom + 6;
  box.style.left = `${Math.max(8, Math.min(at.left, window.innerWidth - box.offsetWidth - 8))}px`;
  box.style.top = `${below + box.offsetHeight < window.innerHeight ? below : Math.max(8, at.top - box.offsetHeight - 6)}px`;
}

function hide() {
  clearTimeout(closing);
  if ($("meaning").matches(":popover-open")) $("meaning").hidePopover();
}

const termOf = (event) => event.target.closest?.(".term");

export function explain() {
  for (const kind of ["pointerover", "focusin", "click"]) {
    document.addEventListener(kind, (event) => {
      if (termOf(event)) show(termOf(event));
      else if (kind === "click") hide();
      else if (event.target.closest("#meaning")) clearTimeout(closing);
    });
  }
  document.addEventListener("pointerout", (event) => {
    if (termOf(event) || event.target.closest("#meaning")) closing = setTimeout(hide, LINGER);
  });
  document.addEventListener("focusout", (event) => { if (termOf(event)) hide(); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  // Focus scrolls to a term out of view: its explanation follows it.
  window.addEventListener("scroll", () => {
    if (!$("meaning").matches(":popover-open")) return;
    const { top, bottom } = explained.getBoundingClientRect();
    if (bottom < 0 || top > window.innerHeight) hide();
    else show(explained);
  }, { passive: true });
}
