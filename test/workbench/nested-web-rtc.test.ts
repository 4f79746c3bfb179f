import assert from "node:assert/strict";
import { createSocket, type Socket } from "node:dgram";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, suite, test } from "node:test";
import type { Browser } from "playwright-core";
import { renderAppFrame } from "../../src/faces/http/app-frame.ts";
import { noBrowser, openBrowser } from "./chromium.ts";

/** Pages that would send packets by WebRTC of a frame inside of them. `port` is where a stranger waits. */
function pagesThatCall(port: number): Record<string, string> {
  const call = `const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}" }] });
    peer.createDataChannel("x"); peer.createOffer().then((offer) => peer.setLocalDescription(offer));`;
  const quoted = call.replaceAll('"', "&quot;").replaceAll("\n", " ");
  const single = call.replaceAll('"', "'").replaceAll("\n", " ");
  const frame = `<iframe src'+'doc="<script>${quoted}</scr'+'ipt>"></iframe>`;
  const text = `<script>${call.replaceAll("\n", " ")}</scr'+'ipt>`;
  const script = (code: string) => `<body><p id="p"></p><script>${code}</script>`;
  const onFrame = (code: string) =>
    script(`const frame = document.createElement('iframe'); ${code}; document.body.append(frame);`);
  const inert = "const inert = document.implementation.createHTMLDocument();";
  const blob = (html: string, type: string) =>
    `URL.createObjectURL(new Blob(['${html}'], { type: '${type}' }))`;
  const xml = frame
    .replace("<iframe", '<iframe xmlns="http://www.w3.org/1999/xhtml"')
    .replace("=>", "=&gt;")
    .replace('"<script>', '"&lt;script&gt;')
    .replace("</scr'+'ipt>", "&lt;/script&gt;");
  return {
    itself: script(call),
    written: `<body><iframe srcdoc="<script>${quoted}</script>"></iframe>`,
    in_other_letters: `<body><IFRAME SrcDoc="<script>${quoted}</script>"></iframe>`,
    in_a_sandbox: `<body><iframe sandbox="allow-scripts" srcdoc="<script>${quoted}</script>"></iframe>`,
    in_a_shadow: `<body><div><template shadowrootmode="open"><iframe srcdoc="<script>${quoted}</script>"></iframe></template></div>`,
    by_script_address: `<body><iframe src="javascript:${single}"></iframe>`,
    by_escaped_address: `<body><iframe src="java&#115;cript:${single}"></iframe>`,
    by_link: `<body><iframe name="inner"></iframe><a id="a" target="inner" href="javascript:${single}">x</a><script>document.getElementById('a').click()</script>`,
    by_property: onFrame(`frame['src' + 'doc'] = '${text}'`),
    by_attribute: onFrame(`frame.setAttribute('src' + 'doc', '${text}')`),
    by_namespace: onFrame(`frame.setAttributeNS(null, 'src' + 'doc', '${text}')`),
    by_moved_attribute: onFrame(
      `p.setAttribute('src' + 'doc', '${text}'); const moved = p.getAttributeNode('src' + 'doc'); p.removeAttributeNode(moved); frame.setAttributeNode(moved)`,
    ),
    by_attribute_text: onFrame(
      `frame.setAttribute('src' + 'doc', ''); frame.getAttributeNode('src' + 'doc').textContent = '${text}'`,
    ),
    of_an_inert_document: script(
      `${inert} const frame = inert.createElement('iframe'); frame['src' + 'doc'] = '${text}'; document.body.append(frame)`,
    ),
    of_an_xml_document: script(
      `const xml = document.implementation.createDocument('', 'r'); const frame = xml.createElementNS('http://www.w3.org/1999/xhtml', 'iframe'); frame.setAttribute('src' + 'doc', '${text}'); document.body.append(frame)`,
    ),
    by_inner_html: script(`p.innerHTML = '${frame}'`),
    by_adjacent_html: script(`p.insertAdjacentHTML('beforeend', '${frame}')`),
    by_unsafe_html: script(`p.setHTMLUnsafe('${frame}')`),
    by_fragment: script(`p.append(document.createRange().createContextualFragment('${frame}'))`),
    by_parser: script(
      `p.append(new DOMParser().parseFromString('${frame}', 'text/html').querySelector('iframe'))`,
    ),
    by_xml_entity: script(
      `const made = new DOMParser().parseFromString('<!DOCTYPE a [<!ENT' + 'ITY e "&#x3c;iframe xmlns=&#39;http://www.w3.org/1999/xhtml&#39; srcd&#111;c=&#39;&#38;lt;script>' + ${JSON.stringify(single)}.replaceAll("'", '') + '&#38;lt;/script>&#39;/>">]><a>&e;</a>', 'text/xml'); const frame = made.querySelector('iframe'); if (frame) p.append(frame)`,
    ),
    by_command: script(
      `document.body.contentEditable = true; document.body.focus(); document.execCommand('insertHTML', false, '${frame}')`,
    ),
    by_pieces: script(
      `document.write('<ifr'); document.write('ame src'); document.write('doc="<script>${quoted}</scr'+'ipt>"></iframe>')`,
    ),
    by_a_request: script(
      `const request = new XMLHttpRequest(); request.responseType = 'document'; request.onload = () => p.append(request.response.querySelector('iframe')); request.open('GET', ${blob(frame, "text/html")}); request.send()`,
    ),
    by_a_request_for_xml: script(
      `const request = new XMLHttpRequest(); request.onload = () => p.append(request.responseXML.documentElement); request.open('GET', ${blob(xml, "text/xml")}); request.send()`,
    ),
    by_a_policy_of_its_own: onFrame(
      `frame['src' + 'doc'] = trustedTypes.createPolicy('mine', { createHTML: (html) => html }).createHTML('${text}')`,
    ),
    after_it_replaced_functions: script(
      `RegExp.prototype.exec = () => null; RegExp.prototype.test = () => false; globalThis.String = () => ''; Reflect.apply = () => null; p.innerHTML = '${frame}'`,
    ),
    by_a_stylesheet_of_xml: script(
      `const space = 'http://www.w3.org/1999/XSL/Transform'; const sheet = document.implementation.createDocument(space, 'xsl:stylesheet'); sheet.documentElement.setAttribute('version', '1.0'); const template = sheet.createElementNS(space, 'xsl:template'); template.setAttribute('match', '/'); const made = sheet.createElementNS(space, 'xsl:element'); made.setAttribute('name', 'iframe'); made.setAttribute('namespace', 'http://www.w3.org/1999/xhtml'); const attribute = sheet.createElementNS(space, 'xsl:attribute'); attribute.setAttribute('name', 'src' + 'doc'); attribute.textContent = '${text}'; made.append(attribute); template.append(made); sheet.documentElement.append(template); const processor = new XSLTProcessor(); processor.importStylesheet(sheet); p.append(processor.transformToFragment(document.implementation.createDocument('', 'r'), document))`,
    ),
  };
}

/** Everything that pages do with scripts goes on. */
const lively = `<body><p id="p"></p><script>
  const did = [];
  p.innerHTML = '<b onclick="did.push(1)">x</b>'; p.firstChild.click();
  eval("did.push(2)"); new Function("did.push(3)")(); setTimeout("did.push(4)");
  for (const [name, value] of [["textContent", "did.push(5)"], ["src", "data:text/javascript,did.push(6)"]]) {
    const script = document.createElement("script"); script[name] = value; document.body.append(script);
  }
  import("data:text/javascript,did.push(7)");
  new Worker(URL.createObjectURL(new Blob(["postMessage(8)"]))).onmessage = ({ data }) => did.push(data);
  const report = () => did.length < 8 ? setTimeout(report, 20) : parent.postMessage(did.sort().join(), "*");
  report();
</script>`;

const unguarded = (port: number) =>
  `<!doctype html><iframe srcdoc="${pagesThatCall(port).itself?.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"></iframe>`;

suite("WebRTC of pages of servers", { skip: noBrowser }, () => {
  let browser: Browser;
  let server: Server;
  let url: string;
  let shown = "";
  let packets = 0;
  const sockets: Socket[] = [];

  async function listen(onPacket: () => void): Promise<number> {
    const socket = createSocket("udp4", onPacket);
    await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
    sockets.push(socket);
    return socket.address().port;
  }

  before(async () => {
    browser = await openBrowser();
    server = createServer((request, response) => {
      if (request.url !== "/workbench/app-frame")
        return void response.writeHead(200, { "content-type": "text/html" }).end(shown);
      const { headers, body } = renderAppFrame("", request.headers.host ?? "");
      // Not every browser knows this header: what holds without it is what is tried.
      delete headers["connection-allowlist"];
      response.writeHead(200, headers).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    await browser.close();
    for (const socket of sockets) socket.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const inFrame = (html: string) => `<!doctype html><body><script>
    const frame = document.createElement("iframe");
    frame.sandbox = "allow-scripts allow-forms";
    frame.src = "/workbench/app-frame";
    frame.addEventListener("load", () => frame.contentWindow.postMessage({ html: ${JSON.stringify(html).replaceAll("<", "\\u003c")} }, "*"), { once: true });
    addEventListener("message", ({ data }) => { document.title = data; });
    document.body.append(frame);
  </script>`;

  async function show(html: string): Promise<string> {
    shown = html;
    const page = await browser.newPage();
    let crashes = 0;
    page.on("crash", () => {
      crashes += 1;
    });
    await page.goto(url);
    await page.waitForFunction("document.title !== ''");
    const title = await page.title();
    await page.close();
    assert.equal(crashes, 0);
    return title;
  }
  const ended = `<script>setTimeout(() => parent.postMessage("over", "*"), 300)</script>`;

  test("sends no packet, however a frame inside of the page is made", async () => {
    const port = await listen(() => {
      packets += 1;
    });
    for (const [name, html] of Object.entries(pagesThatCall(port))) {
      assert.equal(await show(inFrame(ended + html)), "over", name);
      assert.equal(packets, 0, name);
    }
    // The same call without the guard arrives, and later than all of these.
    const arrived = Promise.withResolvers<void>();
    shown = unguarded(await listen(arrived.resolve));
    const page = await browser.newPage();
    await page.goto(url);
    await arrived.promise;
    await page.close();
    assert.equal(packets, 0);
  });

  test("is all that is taken: scripts, handlers, workers and modules go on", async () => {
    assert.equal(await show(inFrame(lively)), "1,2,3,4,5,6,7,8");
  });
});
