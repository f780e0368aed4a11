// Makes the page work offline: caches its files, per version of the page. The large ones are there already.

const VERSION = "macrof1-@version@";

async function kept(name) {
  const cache = await caches.open(VERSION);
  if (!(await cache.match(name))) await cache.add(name);
}

self.addEventListener("install", (event) => {
  event.waitUntil(Promise.all(FILES.map(kept)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(caches.keys()
    .then((names) => Promise.all(names.filter((name) => name.startsWith("macrof1-") && name !== VERSION).map((name) => caches.delete(name))))
    .then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || !event.request.url.startsWith(self.registration.scope)) return;
  event.respondWith(caches.match(event.request, { ignoreSearch: event.request.mode === "navigate" }).then((kept) => kept ?? fetch(event.request)));
});
