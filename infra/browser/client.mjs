// A client on loopback, as programs on people's own computers are: it registers
// itself, opens the authorization page, waits at its callback for the code, and
// then calls tools. It knows no more of OAuth than the RFCs say.
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";

export async function connectable(base, name = "Training diary", port = 0) {
  const client = new Client(base, name, port);
  await client.begin();
  return client;
}

class Client {
  constructor(base, name, port) {
    Object.assign(this, { base, name, port, token: "", calls: 0 });
  }

  async begin() {
    this.server = createServer((request, response) => {
      response.setHeader("Content-Type", "text/html; charset=utf-8");
      response.end(`<!doctype html><html lang="en"><title>Back</title><link rel="icon" href="data:,"><h1 id="arrived">You are back at ${this.name}</h1>`);
    });
    await new Promise((done) => this.server.listen(this.port, "127.0.0.1", done));
    this.redirect = `http://127.0.0.1:${this.server.address().port}/callback`;
    const answer = await this.post("/register", JSON.stringify({ client_name: this.name, redirect_uris: [this.redirect], token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"], response_types: ["code"], scope: "read write" }), "application/json");
    this.id = answer.client_id;
  }

  get origin() { return new URL(this.redirect).origin; }

  // authorizeURL is what the client opens in the browser; new each time.
  authorizeURL() {
    this.verifier = randomBytes(32).toString("base64url");
    this.state = randomBytes(16).toString("base64url");
    return `${this.base}/authorize?` + new URLSearchParams({ response_type: "code", client_id: this.id, redirect_uri: this.redirect, scope: "read write", state: this.state,
      resource: `${this.base}/mcp`, code_challenge: createHash("sha256").update(this.verifier).digest("base64url"), code_challenge_method: "S256" });
  }

  // returned reads the address at which the browser came back.
  returned(address) {
    const q = new URL(address).searchParams;
    if (q.get("state") !== this.state || q.get("iss") !== this.base) throw new Error(`came back with another state or issuer: ${address}`);
    return { code: q.get("code"), error: q.get("error") };
  }

  async redeem(code) {
    const form = new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: this.redirect, client_id: this.id, code_verifier: this.verifier, resource: `${this.base}/mcp` });
    const answer = await this.post("/token", form.toString(), "application/x-www-form-urlencoded");
    this.token = answer.access_token;
    return answer;
  }

  async post(path, body, type) {
    const response = await fetch(this.base + path, { method: "POST", headers: { "Content-Type": type, Accept: "application/json" }, body });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }

  // call uses a tool: {status, result} with the HTTP status and the tool's result.
  async call(tool, args = {}, token = this.token) {
    const response = await fetch(`${this.base}/mcp`, { method: "POST", headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", Authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++this.calls, method: "tools/call", params: { name: tool, arguments: args } }) });
    const body = await response.json().catch(() => ({}));
    return { status: response.status, result: body.result?.structuredContent ?? {}, text: body.result?.content?.[0]?.text ?? "", isError: body.result?.isError === true };
  }

  close() { this.server.close(); this.server.closeAllConnections(); }
}
