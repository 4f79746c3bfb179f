/** Runs in the browser. Everything is written as text, so that no description can become a part of the page. */
export const script = String.raw`
"use strict";
const make = (tag, props, ...children) => {
  const element = Object.assign(document.createElement(tag), props);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
};
const pretty = (value) => JSON.stringify(value, null, 2);
const idOf = (method, path) => method + path.replace(/[^a-z0-9]+/gi, "-");
let api;
let key;

const resolve = (schema) => (schema && schema.$ref ? api.components.schemas[schema.$ref.split("/").pop()] : schema);
const nameOf = (schema) => {
  if (!schema) return "anything";
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf || schema.oneOf) return (schema.anyOf || schema.oneOf).map(nameOf).join(" | ");
  if (schema.type === "array") return "list of " + nameOf(schema.items);
  return [].concat(schema.type || "anything").join(" | ");
};

const table = (heads, rows) =>
  make("table", {}, make("tr", {}, ...heads.map((text) => make("th", { textContent: text }))),
    ...rows.map((cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, cell)))));
const code = (text) => make("code", { textContent: text });

const fields = (schema, depth) => {
  const shown = resolve(schema) || {};
  if (shown.type === "array") return fields(shown.items, depth);
  const properties = Object.entries(shown.properties || {});
  if (properties.length === 0) return make("p", { className: "dim", textContent: nameOf(schema) });
  const needed = shown.required || [];
  return table(["field", "type", ""], properties.map(([name, property]) => [
    code(name + (needed.includes(name) ? "" : "?")), inner(property, depth), property.description || "",
  ]));
};
const inner = (schema, depth) => {
  const target = schema.type === "array" ? schema.items : schema;
  const full = resolve(target);
  const label = nameOf(schema);
  if (depth > 3 || !full || !full.properties) return code(label);
  const more = make("details", {}, make("summary", {}, code(label)));
  more.addEventListener("toggle", () => { if (more.children.length === 1) more.append(fields(target, depth + 1)); });
  return more;
};

const contents = (title, description, content) => {
  const [type, media] = Object.entries(content || {})[0] || [];
  return make("div", {}, make("h4", { textContent: title + (type ? " · " + type : "") }),
    make("p", { className: "dim", textContent: description || "" }),
    media && media.example ? make("pre", { textContent: pretty(media.example) }) : null,
    media && media.schema ? fields(media.schema, 0) : null);
};

const tryIt = (path, parameters) => {
  const inputs = parameters.filter((one) => one.in !== "header").map((one) => ({ one, input: make("input", { name: one.name, ariaLabel: one.name }) }));
  const answer = make("pre", { hidden: true });
  const send = async () => {
    let target = path;
    const query = new URLSearchParams();
    for (const { one, input } of inputs) {
      const value = input.value.trim();
      if (one.in === "path") target = target.replace("{" + one.name + "}", encodeURIComponent(value));
      else if (value !== "") query.append(one.name, value);
    }
    const words = query.toString();
    const url = target + (words === "" ? "" : "?" + words);
    answer.hidden = false;
    answer.textContent = "GET " + url + " …";
    try {
      const headers = key.value === "" ? {} : { authorization: "Bearer " + key.value };
      const response = await fetch(url, { headers });
      const text = await response.text();
      let body = text;
      try { body = pretty(JSON.parse(text)); } catch {}
      answer.textContent = "GET " + url + "\n" + response.status + " " + (response.headers.get("content-type") || "") + "\n\n" + body.slice(0, 200000);
    } catch (error) {
      answer.textContent = "GET " + url + "\n" + error.message;
    }
  };
  const button = make("button", { type: "button", textContent: "Send" });
  button.addEventListener("click", send);
  return make("div", {}, make("h4", { textContent: "Try it" }),
    inputs.length > 0 ? table(["parameter", "value"], inputs.map(({ one, input }) => [code(one.name), input])) : null, button, answer);
};

const route = (method, path, said) => {
  const parameters = said.parameters || [];
  const body = make("div", {});
  const box = make("details", { className: "route", id: idOf(method, path) },
    make("summary", {}, make("span", { className: "method " + method, textContent: method }),
      make("span", { className: "path", textContent: path }), make("span", { className: "dim", textContent: said.summary || "" })), body);
  const fill = () => {
    if (!box.open || body.childNodes.length > 0) return;
    for (const part of (said.description || "").split("\n\n")) body.append(make("p", { textContent: part.replaceAll("\u0060", "") }));
    if (parameters.length > 0)
      body.append(make("h4", { textContent: "Parameters" }), table(["name", "in", "type", ""], parameters.map((one) =>
        [code(one.name + (one.required ? "" : "?")), one.in, code(nameOf(one.schema)), one.description || (one.schema && one.schema.description) || ""])));
    if (said.requestBody) body.append(contents("Body", said.requestBody.description, said.requestBody.content));
    for (const [status, answer] of Object.entries(said.responses)) body.append(contents(status, answer.description, answer.content));
    const streams = Object.keys((said.responses["200"] || {}).content || {}).includes("text/event-stream");
    if (method === "get" && !streams) body.append(tryIt(path, parameters));
  };
  box.addEventListener("toggle", fill);
  return box;
};

const openNamed = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target && target.tagName === "DETAILS") { target.open = true; target.scrollIntoView(); }
};

const show = () => {
  const main = document.getElementById("main");
  const links = document.getElementById("links");
  key = make("input", { type: "password", autocomplete: "off", placeholder: "API key or JWT, kept in this page only", ariaLabel: "Credential" });
  main.replaceChildren(make("h1", { textContent: api.info.title + " " + api.info.version }),
    make("p", { textContent: api.info.description.replaceAll("\u0060", "") }), make("p", { className: "key" }, key));
  const all = Object.entries(api.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, said]) => ({ path, method, said })));
  for (const { name, description } of api.tags) {
    const own = all.filter(({ said }) => said.tags.includes(name));
    if (own.length === 0) continue;
    main.append(make("section", {}, make("h2", { textContent: name }), make("p", { className: "dim", textContent: description }),
      ...own.map(({ method, path, said }) => route(method, path, said))));
    links.append(make("div", { className: "group" }, make("h2", { textContent: name }), ...own.map(({ method, path }) =>
      make("a", { href: "#" + idOf(method, path) }, make("span", { className: "method " + method, textContent: method + " " }), path))));
  }
  document.getElementById("filter").addEventListener("input", ({ target }) => {
    for (const link of links.querySelectorAll("a")) link.hidden = !link.textContent.toLowerCase().includes(target.value.toLowerCase());
    for (const group of links.children) group.hidden = ![...group.querySelectorAll("a")].some((link) => !link.hidden);
  });
  addEventListener("hashchange", openNamed);
  openNamed();
};

fetch("/openapi.json").then((response) => response.json()).then((document) => { api = document; show(); }).catch((error) => {
  document.getElementById("state").textContent = "The document could not be loaded: " + error.message;
});
`;
