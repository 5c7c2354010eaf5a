"use strict";
// The page of a review. Everything that comes from the server is put in as text, never as markup.

const main = document.getElementById("main");
let state = null;
let busy = false;

function make(tag, given = {}, ...children) {
  const found = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith("on")) found.addEventListener(name.slice(2), value);
    else if (value === true) found.setAttribute(name, "");
    else if (value !== false && value !== null) found.setAttribute(name, value);
  }
  found.append(...children.filter((child) => child !== null));
  return found;
}

async function send(path, body) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ question: state.question.id, ...body }),
  });
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.refused || `the server answers ${answer.status}`);
  return found;
}

// One thing at a time: what a form sends, and its problem beside it.
function sending(problem, what) {
  return async (event) => {
    event.preventDefault();
    if (busy) return;
    busy = true;
    problem.textContent = "";
    try {
      await what(event);
    } catch (error) {
      problem.textContent = error instanceof TypeError ? "The server cannot be reached; is the command still running?" : error.message;
    } finally {
      busy = false;
    }
  };
}

function problemLine() {
  return make("p", { class: "problem", role: "alert" });
}

// A value as a tool sent it: a list of fields where it is an object, else its text.
function value(data) {
  if (data !== null && typeof data === "object" && Object.keys(data).length) {
    const list = make("dl", { class: "values" });
    const name = (key) => (Array.isArray(data) ? String(Number(key) + 1) : key);
    for (const [key, one] of Object.entries(data)) list.append(make("dt", {}, name(key)), make("dd", {}, value(one)));
    return list;
  }
  return document.createTextNode(typeof data === "string" && data !== "" ? data : JSON.stringify(data));
}

function outcome(text) {
  try {
    // Numbers keep the digits that they came with.
    return value(JSON.parse(text, (key, one, context) => (typeof one === "number" && context && context.source ? new Digits(context.source) : one)));
  } catch {
    return make("dl", { class: "values" }, make("dd", {}, text));
  }
}

class Digits {
  #text;
  constructor(text) { this.#text = text; }
  toJSON() { return JSON.rawJSON ? JSON.rawJSON(this.#text) : Number(this.#text); }
}

function callCard(call, number, now = false) {
  return make(
    "div", { class: now ? "card call now" : "card call" },
    make("p", {}, make("span", { class: "small" }, `${number}. `), make("code", {}, make("b", {}, call.tool))),
    call.description ? make("p", { class: "small" }, call.description) : null,
    make("h4", {}, "Called with"),
    make("div", { class: "arguments" }, Object.keys(call.arguments).length ? value(call.arguments) : "(no arguments)"),
    make("h4", {}, "Answered"),
    outcome(call.shown),
  );
}

// Forms from schemas ------------------------------------------------------------------------------------------------

function types(schema) {
  const own = [].concat(schema.type || []);
  const parts = (schema.anyOf || schema.oneOf || []).flatMap(types);
  return [...own, ...parts].filter((one) => one !== "null");
}

function control(name, schema) {
  const kinds = types(schema);
  const choices = schema.enum || (kinds.length === 1 && kinds[0] === "boolean" ? [true, false] : null);
  if (choices) {
    const found = make("select", { name });
    found.append(make("option", { value: "" }, "—"));
    choices.forEach((one, place) => found.append(make("option", { value: String(place) }, String(one))));
    return { found, read: () => (found.value === "" ? undefined : choices[Number(found.value)]) };
  }
  if (kinds.includes("array") || kinds.includes("object")) {
    const item = schema.items || {};
    const plain = kinds.includes("array") && !types(item).some((one) => one === "object" || one === "array") && types(item).length > 0;
    const found = make("textarea", { name, placeholder: plain ? "one on each line" : "JSON", spellcheck: "false" });
    return {
      found,
      read: () => {
        const text = found.value.trim();
        if (!text) return undefined;
        if (/^[[{]/.test(text)) return JSON.parse(text);
        if (!plain) throw new Error(`${name}: write JSON`);
        return text.split("\n").map((line) => line.trim()).filter(Boolean).map((line) => typed(line, types(item)));
      },
    };
  }
  const found = make("input", { name, type: "text", autocomplete: "off", spellcheck: "false" });
  return { found, read: () => (found.value.trim() === "" ? undefined : typed(found.value.trim(), kinds)) };
}

function typed(text, kinds) {
  const numeric = kinds.includes("number") || kinds.includes("integer");
  return numeric && text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

function hint(schema) {
  const kinds = types(schema);
  const told = kinds.includes("array") ? ["list"] : kinds;
  return told.join(" or ") + ("default" in schema ? `, ${JSON.stringify(schema.default)} if left out` : "");
}

function toolForm(tool) {
  const required = tool.parameters.required || [];
  const problem = problemLine();
  const fields = Object.entries(tool.parameters.properties || {}).map(([name, schema]) => [name, schema, control(name, schema)]);
  const call = async () => {
    const given = {};
    for (const [name, , one] of fields) {
      const read = one.read();
      if (read !== undefined) given[name] = read;
    }
    const made = await send("/call", { tool: tool.name, arguments: given, place: state.question.calls.length });
    state.question.calls.push(made);
    showCalls();
    document.getElementById("calls").firstElementChild.scrollIntoView({ block: "nearest" });
  };
  const form = make("form", { onsubmit: sending(problem, call), autocomplete: "off" });
  for (const [name, schema, one] of fields) {
    form.append(make(
      "label", { class: "field" },
      make("b", {}, name), make("i", {}, ` ${hint(schema)}${required.includes(name) ? "" : " · may be left out"}`),
      schema.description ? make("span", {}, schema.description) : null,
      one.found,
    ));
  }
  form.append(make("button", { type: "submit" }, `Call ${tool.name}`), problem);
  return form;
}

// A task ------------------------------------------------------------------------------------------------------------

function showCalls() {
  const place = document.getElementById("calls");
  const calls = state.question.calls.map((call, at) => callCard(call, at + 1)).reverse();
  place.replaceChildren(...(calls.length ? calls : [make("p", { class: "small" }, "None yet. The latest comes first.")]));
}

function toolList(question) {
  const list = make("div", { class: "card tools" });
  for (const tool of question.tools) {
    const details = make("details", { class: "tool", "data-words": `${tool.name} ${tool.description}`.toLowerCase() });
    details.append(make("summary", {}, make("code", {}, tool.name), make("span", {}, tool.description)));
    details.addEventListener("toggle", () => {
      if (details.open && !details.querySelector("form")) details.append(toolForm(tool));
    });
    list.append(details);
  }
  const search = make("input", { type: "search", placeholder: "Search the tools", "aria-label": "Search the tools" });
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const one of list.children) one.hidden = !words.every((word) => one.dataset.words.includes(word));
  });
  return [search, list];
}

function resultForm(question) {
  const problem = problemLine();
  const inputs = question.deliverables.map((label) => [label, make("input", { type: "text", autocomplete: "off", "data-label": label })]);
  const why = make("input", { type: "text", autocomplete: "off", id: "why" });
  const give = async () => show(await send("/reply", { deliverables: Object.fromEntries(inputs.map(([label, one]) => [label, one.value])) }));
  const stop = async () => show(await send("/reply", { cannot: true, why: why.value }));
  const given = make("form", { class: "card answer", onsubmit: sending(problem, give) });
  for (const [label, input] of inputs) given.append(make("label", { class: "field" }, make("b", {}, label), input));
  given.append(make("div", { class: "buttons" }, make("button", { type: "submit" }, "All is done")), problem);
  const refused = problemLine();
  const cannot = make(
    "details", { class: "card answer" }, make("summary", {}, "It cannot be done"),
    make("form", { onsubmit: sending(refused, stop) },
      make("label", { class: "field" }, make("b", {}, "Why not?"), make("i", {}, " may be left out"), why),
      make("button", { type: "submit", class: "quiet" }, "It cannot be done"), refused),
  );
  return [given, make("p", {}, ""), cannot];
}

function requestCard(question) {
  return make("div", { class: "card request" }, make("p", {}, question.request), make("p", { class: "small" }, question.now));
}

function solvePage(question) {
  return [
    make("h1", {}, "Carry out this request"), make("p", { class: "told" }, question.told), requestCard(question),
    make("div", { class: "desk" },
      make("div", {}, make("h2", {}, `Tools (${question.tools.length})`), ...toolList(question)),
      make("div", {}, make("h2", {}, "Result"), ...resultForm(question), make("h2", {}, "Calls"), make("div", { id: "calls" }))),
  ];
}

// An answer of a tool -----------------------------------------------------------------------------------------------

function detectPage(question) {
  const problem = problemLine();
  const why = make("input", { type: "text", autocomplete: "off", id: "why" });
  const reply = async () => {
    const chosen = document.querySelector("input[name=corrupt]:checked");
    if (!chosen) throw new Error("Say whether the answer is right or corrupt.");
    show(await send("/reply", { corrupt: chosen.value === "yes", why: why.value }));
  };
  const choice = (value, words) => make("label", {}, make("input", { type: "radio", name: "corrupt", value, id: `corrupt-${value}` }), words);
  return [
    make("h1", {}, "Is this answer right?"), make("p", { class: "told" }, question.told), requestCard(question),
    make("div", { class: "asked" },
      make("h2", {}, `Calls before (${question.calls.length})`), ...question.calls.map((call, at) => callCard(call, at + 1)),
      make("h2", {}, "The answer in question"), callCard(question.asked, question.calls.length + 1, true),
      make("form", { class: "card answer", onsubmit: sending(problem, reply) },
        make("div", { class: "choice", role: "radiogroup", "aria-label": "Is the answer right?" },
          choice("no", "It is right"), choice("yes", "It is corrupt")),
        make("label", { class: "field" }, make("b", {}, "Why?"), make("i", {}, " may be left out"), why),
        make("button", { type: "submit" }, "Next"), problem)),
  ];
}

function show(now) {
  state = now;
  const bar = document.getElementById("course");
  bar.max = Math.max(1, now.total);
  bar.value = now.done;
  document.getElementById("count").textContent = `${now.reviewer}: ${now.done} of ${now.total}`;
  const question = now.question;
  if (!question) main.replaceChildren(make("h1", {}, "Thank you"), make("p", {}, "All questions are answered. You can close this page, and end the command with Ctrl-C."));
  else main.replaceChildren(...(question.kind === "solve" ? solvePage(question) : detectPage(question)));
  if (question && question.kind === "solve") showCalls();
  window.scrollTo(0, 0);
}

fetch("/state").then((answer) => answer.json()).then(show).catch(() => {
  main.replaceChildren(make("p", { class: "problem" }, "The server cannot be reached; is the command still running?"));
});
