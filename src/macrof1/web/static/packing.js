// States too long for a readable link: compressed into it, and what is too large even so, kept in this browser.

const bytesOf = async (stream) => new Uint8Array(await new Response(stream).arrayBuffer());
const through = (bytes, change) => bytesOf(new Blob([bytes]).stream().pipeThrough(change));

// Text as letters that an address may contain.
export async function packed(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let letters = "";
  for (let at = 0; at < bytes.length; at += 8192) letters += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export async function unpacked(letters) {
  const bytes = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
}

const MOST_KEPT = 10;

function stored(mode, work) {
  return new Promise((done, failed) => {
    const opening = indexedDB.open("macrof1", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("states", { autoIncrement: true });
    opening.onerror = () => failed(opening.error);
    opening.onsuccess = () => {
      const action = opening.result.transaction("states", mode);
      const asked = work(action.objectStore("states"));
      action.oncomplete = () => { opening.result.close(); done(asked.result); };
      action.onerror = () => failed(action.error);
    };
  });
}

// The key under which a state is kept; the oldest ones go.
export async function keep(text) {
  const key = await stored("readwrite", (states) => states.add(text));
  await stored("readwrite", (states) => states.delete(IDBKeyRange.upperBound(key - MOST_KEPT)));
  return key;
}

export const kept = (key) => stored("readonly", (states) => states.get(key));
