/**
 * Runs before the page. A frame inside of a page would have functions that are taken from the page here, WebRTC among
 * them, and no policy of content stops a frame whose document is a text. So no such text becomes a document: what makes
 * one passes the default policy of Trusted Types, and what would not pass it is removed.
 */
const guard = `
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "XSLTProcessor"])
  delete globalThis[name];
// The page may replace whatever is called by its name, so nothing is.
const { apply } = Reflect;
const { exec } = RegExp.prototype;
const { slice } = String.prototype;
const find = (pattern, text) => apply(exec, pattern, [text]);
const has = (pattern, text) => find(pattern, text) !== null;
function withoutFrames(text) {
  // Entities of XML could spell the name of an attribute.
  if (has(/<!ENTITY/i, text)) return "";
  if (!has(/<iframe/i, text)) return text;
  let remaining = text;
  let clean = "";
  for (let name = find(/srcdoc/i, remaining); name !== null; name = find(/srcdoc/i, remaining)) {
    clean += apply(slice, remaining, [0, name.index]) + "data-source";
    remaining = apply(slice, remaining, [name.index + 6]);
  }
  return clean + remaining;
}
const policy = {
  createHTML: (text, type, sink) => (has(/srcdoc/i, sink) ? "" : withoutFrames(text)),
  createScript: (text, type, sink) => (has(/location|navigat/i, sink) ? null : text),
  createScriptURL: (text) => text,
};
globalThis.trustedTypes?.createPolicy("default", policy);
// Pages that would make policies of their own go on without.
delete globalThis.trustedTypes;
const open = document.open.bind(document);
const write = document.write.bind(document);
const close = document.close.bind(document);
// Pieces of a text are not judged together, so a page writes none.
for (const { prototype } of [Document, Element, ShadowRoot])
  for (const name of Object.getOwnPropertyNames(prototype))
    if (has(/^(?:write|writeln|stream.*HTML.*)$/i, name)) delete prototype[name];
const { prototype: request } = XMLHttpRequest;
const type = Object.getOwnPropertyDescriptor(request, "responseType");
Object.defineProperty(request, "responseXML", { get: () => null });
Object.defineProperty(request, "responseType", {
  ...type,
  set(name) {
    const text = name + "";
    if (text !== "document") apply(type.set, this, [text]);
  },
});
`;

/**
 * The content comes as a message, so the plane need not know who asks. It replaces this document and stays under its
 * policy. `self.origin` is opaque here; that of the address is the workbench's.
 */
export const frameDocument = `<!doctype html>
<meta charset="utf-8">
<title>Page of an MCP server</title>
<script>
{
${guard}
addEventListener("message", function take({ source, origin, data }) {
  if (source !== parent || parent === self || origin !== location.origin || typeof data?.html !== "string") return;
  removeEventListener("message", take);
  open();
  write(withoutFrames(data.html));
  close();
});
}
</script>
`;
