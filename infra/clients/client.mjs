// The official TypeScript SDK's client lists the tools and calls each of the
// 20 compatible ones and those of the change protocol against the demo athlete,
// first over HTTP, then over stdio. Each change is shown first and confirmed;
// the client says that it can ask its person, and is never asked, since it
// speaks an older version of the protocol. The SDK itself checks every structured result against the output
// schema; an error of any tool, or a tool that is not there, fails the run.
//
//	node infra/clients/client.mjs PACKAGES BINARY
//
// PACKAGES is the folder in which @modelcontextprotocol/sdk was installed,
// BINARY the built intervals-mcp.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [packages, binary] = process.argv.slice(2).map((p) => resolve(p));
const require = createRequire(join(packages, 'index.js'));
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
const { ElicitRequestSchema } = require('@modelcontextprotocol/sdk/types.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');

const compatible = [
  'get_activities', 'get_activity_details', 'get_activity_intervals', 'get_activity_streams', 'get_activity_messages',
  'add_activity_message', 'get_events', 'get_event_by_id', 'delete_event', 'delete_events_by_date_range',
  'add_or_update_event', 'add_or_update_note', 'get_wellness_data', 'get_athlete_power_curves', 'get_gear_list',
  'get_custom_items', 'get_custom_item_by_id', 'create_custom_item', 'update_custom_item', 'delete_custom_item',
];
const ours = ['confirm_change', 'list_changes', 'undo_change'];
const flags = ['--demo', '--toolset', 'full'];

function fail(why) {
  throw new Error(why);
}

// connected makes a client that could ask its person.
async function connected(transport) {
  const client = new Client({ name: 'sdk-check', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async () => {
    asked = true;
    return { action: 'accept', content: {} };
  });
  await client.connect(transport);
  return client;
}
let asked = false;

// tour calls every tool, as a person's session might, and cleans up.
async function tour(client) {
  const { tools } = await client.listTools();
  const missing = [...compatible, ...ours].filter((name) => !tools.some((t) => t.name === name));
  if (missing.length > 0) fail(`not offered: ${missing.join(', ')}`);
  const untried = new Set([...compatible, ...ours]);

  const call = async (name, args = {}) => {
    const r = await client.callTool({ name, arguments: args });
    const text = r.content?.map((c) => c.text ?? '').join('\n') ?? '';
    if (r.isError) fail(`${name}(${JSON.stringify(args)}): ${text}`);
    if (text === '') fail(`${name}: no text`);
    if (r.structuredContent === undefined) fail(`${name}: no structuredContent`);
    untried.delete(name);
    return r.structuredContent;
  };
  const change = async (name, args) => {
    const { status, summary, confirmation } = await call(name, args);
    if (status !== 'preview') fail(`${name}: ${status}, not shown first`);
    const done = await call('confirm_change', { confirmation, summary });
    if (done.status !== 'applied') fail(`${name}, confirmed: ${done.status} ${done.reason ?? ''}`);
    return done;
  };
  const idOf = (name, result, ...kinds) => {
    for (const kind of kinds) if (result[kind]?.id !== undefined) return String(result[kind].id);
    fail(`${name}: no id under ${kinds.join(' or ')} in ${JSON.stringify(result).slice(0, 300)}`);
  };

  const { activities } = await call('get_activities', { limit: 30 });
  const ride = activities.find((a) => /Ride/.test(a.type)) ?? fail('the demo athlete did not ride');
  for (const name of ['get_activity_details', 'get_activity_intervals', 'get_activity_streams']) await call(name, { activity_id: ride.id });
  await change('add_activity_message', { activity_id: ride.id, content: 'Legs felt good.' });
  const { messages } = await call('get_activity_messages', { activity_id: ride.id });
  if (!JSON.stringify(messages).includes('Legs felt good.')) fail('the message that was added is not there');

  await call('get_events');
  const day = { start_date: '+200d' };
  const made = await change('add_or_update_event', { workout_type: 'Ride', name: 'SDK ride', moving_time: 3600, ...day });
  const event = idOf('add_or_update_event', made, 'event');
  const read = await call('get_event_by_id', { event_id: event });
  if (!JSON.stringify(read).includes('SDK ride')) fail('the event that was made is not there');
  await change('delete_event', { event_id: event });
  await change('add_or_update_note', { name: 'SDK note', description: 'To be removed with its day.', ...day });
  await change('add_or_update_event', { workout_type: 'Run', name: 'SDK run', moving_time: 1800, ...day });
  await change('delete_events_by_date_range', { start_date: '+200d', end_date: '+200d' });

  await call('get_wellness_data');
  await call('get_athlete_power_curves');
  await call('get_gear_list');
  const item = idOf('create_custom_item', await change('create_custom_item', {
    name: 'SDK field', item_type: 'INPUT_FIELD', content: { code: 'SdkField', type: 'numeric' },
  }), 'item', 'custom_item');
  await call('get_custom_items');
  await call('get_custom_item_by_id', { item_id: Number(item) });
  await change('update_custom_item', { item_id: Number(item), name: 'SDK field, renamed' });
  await change('delete_custom_item', { item_id: Number(item) });

  const { changes } = await call('list_changes');
  if (changes.length < 9) fail(`list_changes: ${changes.length} changes`);
  const back = await change('undo_change', { change_id: changes[0].change_id });
  await change('undo_change', { change_id: back.change_id });
  if (asked) fail('the client was asked over its session');

  if (untried.size > 0) fail(`not called: ${[...untried].join(', ')}`);
  return tools.length;
}

async function overHTTP(folder) {
  const ready = join(folder, 'ready.json');
  const server = spawn(binary, ['serve', ...flags, '--addr', '127.0.0.1:0', '--ready-file', ready], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  server.stderr.on('data', (d) => (log += d));
  try {
    for (let i = 0; !existsSync(ready); i++) {
      if (i > 200 || server.exitCode !== null) fail(`serve is not ready: ${log}`);
      await sleep(50);
    }
    const { url, token } = JSON.parse(readFileSync(ready, 'utf8'));
    const client = await connected(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
    const n = await tour(client);
    await client.close();
    if (log.includes(token)) fail('the token stands in the log');
    return n;
  } finally {
    if (server.exitCode === null) {
      const gone = once(server, 'exit');
      server.kill('SIGINT');
      const [code] = await gone;
      if (code !== 0) console.error(`serve ended with ${code} after Ctrl-C: ${log}`), (process.exitCode = 1);
    }
  }
}

async function overStdio() {
  const client = await connected(new StdioClientTransport({ command: binary, args: ['stdio', ...flags], stderr: 'ignore' }));
  const n = await tour(client);
  await client.close();
  return n;
}

const folder = mkdtempSync(join(tmpdir(), 'sdk-clients-'));
try {
  for (const [name, run] of [['HTTP', overHTTP], ['stdio', overStdio]]) {
    const n = await run(folder);
    console.log(`TypeScript SDK over ${name}: ${n} tools listed, all ${compatible.length} compatible ones and ${ours.length} of our own called, each change previewed and confirmed`);
  }
} catch (err) {
  console.error(`sdk-clients: ${err.message}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
