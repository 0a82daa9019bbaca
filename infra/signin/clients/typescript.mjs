// The official TypeScript SDK's client with its own OAuth code, led by a test:
//
//	node typescript.mjs PACKAGES URL
//
// It prints one JSON object a line. {"open": URL} asks for the person's
// browser, whose way back ends at this program's own listener; {"ready": [...]}
// names the tools. Then it answers one line for each line of its input:
//
//	{"call": TOOL, "arguments": {...}}  ->  {"result": {...}} | {"error": "..."}
//	{"spoil": true}                     ->  {"spoiled": true}   the access token is no longer a good one
//
// A call that needs the person again first prints {"open": URL}, and waits.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const [packages, url] = process.argv.slice(2);
const require = createRequire(join(resolve(packages), 'index.js'));
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
const { UnauthorizedError } = require('@modelcontextprotocol/sdk/client/auth.js');

const say = (what) => process.stdout.write(JSON.stringify(what) + '\n');

let answered;
const listener = createServer((req, res) => {
  const back = new URL(req.url, 'http://127.0.0.1');
  if (back.pathname === '/callback') answered?.(back.searchParams);
  res.end('You may close this window.');
}).listen(0, '127.0.0.1');
await once(listener, 'listening');

class Provider {
  get redirectUrl() { return `http://127.0.0.1:${listener.address().port}/callback`; }
  get clientMetadata() {
    return { client_name: 'TypeScript SDK', redirect_uris: [this.redirectUrl], grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'], token_endpoint_auth_method: 'none' };
  }
  state() { return (this.expected = randomUUID()); }
  clientInformation() { return this.client; }
  saveClientInformation(c) { this.client = c; }
  tokens() { return this.kept; }
  saveTokens(t) { this.kept = t; }
  redirectToAuthorization(to) { say({ open: String(to) }); }
  saveCodeVerifier(v) { this.verifier = v; }
  codeVerifier() { return this.verifier; }
  invalidateCredentials(scope) {
    if (scope === 'all' || scope === 'client') this.client = undefined;
    if (scope === 'all' || scope === 'tokens') this.kept = undefined;
  }
}

const provider = new Provider();
let transport, client;

// withPerson tries something, and once more when the person has answered.
async function withPerson(attempt) {
  const came = new Promise((done) => (answered = done));
  try {
    return await attempt();
  } catch (err) {
    if (!(err instanceof UnauthorizedError)) throw err;
    const back = await came;
    if (back.get('state') !== provider.expected) throw new Error('the state that came back is another');
    if (back.get('iss') !== new URL(url).origin) throw new Error(`the issuer that came back is ${back.get('iss')}`);
    if (!back.has('code')) throw new Error(`the person's answer is ${back.get('error')}`);
    await transport.finishAuth(back.get('code'));
    return attempt();
  }
}

async function connect() {
  transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
  client = new Client({ name: 'typescript-sdk', version: '1.0.0' });
  await client.connect(transport);
}

async function answer({ call, arguments: args, spoil }) {
  if (spoil) {
    provider.kept = { ...provider.kept, access_token: `${provider.kept.access_token}x` };
    return { spoiled: true };
  }
  try {
    const result = await withPerson(() => client.callTool({ name: call, arguments: args ?? {} }));
    return { result: result.structuredContent ?? {}, text: result.content?.map((c) => c.text ?? '').join('\n'), isError: result.isError === true };
  } catch (err) {
    return { error: `${err.constructor.name}: ${err.message}` };
  }
}

try {
  await withPerson(connect);
  say({ ready: (await client.listTools()).tools.map((t) => t.name) });
  for await (const line of createInterface({ input: process.stdin })) say(await answer(JSON.parse(line)));
} catch (err) {
  say({ fatal: String(err.stack) });
  process.exitCode = 1;
} finally {
  await client?.close();
  listener.close();
  listener.closeAllConnections();
}
