// The official clients of Node: makes the requests of a file, and writes what they made of each to another.
//
// usage: node node_clients.mjs URL REQUESTS.json SEEN.json
import fs from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

const [url, requests, seen] = process.argv.slice(2);
const AT_ONCE = 40;

async function made({ api, body, patience }) {
  const given = { apiKey: "none", maxRetries: 1, timeout: patience * 1000 };
  const openai = new OpenAI({ baseURL: `${url}/v1`, ...given });
  const anthropic = new Anthropic({ baseURL: url, ...given });
  const asked = {
    chat: () => openai.chat.completions.create(body),
    responses: () => openai.responses.create(body),
    messages: () => anthropic.messages.create(body),
  };
  const found = { events: [] };
  const work = async () => {
    try {
      const answer = await asked[api]();
      if (!body.stream) return { ...found, answer };
      for await (const event of answer) found.events.push(event);
      return found;
    } catch (error) {
      const wait = error.headers?.get("retry-after");
      return { ...found, error: { raised: error.constructor.name, status: error.status, body: error.error, wait } };
    }
  };
  const late = new Promise((done) => setTimeout(() => done({ ...found, waits: true }), patience * 4000).unref());
  return await Promise.race([work(), late]);
}

const all = JSON.parse(fs.readFileSync(requests, "utf8"));
const results = new Array(all.length);
let next = 0;
const worker = async () => {
  for (let number = next++; number < all.length; number = next++) results[number] = await made(all[number]);
};
await Promise.all(Array.from({ length: AT_ONCE }, worker));
fs.writeFileSync(seen, JSON.stringify(results));
process.exit(0); // a stream that stalled would hold it
