// A person's whole way on the real server: from the landing page through a
// client's sign-in to a change that waits, its undo, and everything the account
// page offers, to the end of it all. Walked by click, with the keyboard alone,
// and without script; every page on the way is inspected and kept as a picture.
import { connectable } from "../client.mjs";
import { clicking, typing } from "../hands.mjs";

// With the demo athlete a person looks around on a phone; with a key of their
// own they have no mouse, or no script.
export const onDemo = { run: (harness, options) => walked(harness, options, [["phone-light", clicking]]) };
export const withKey = { run: (harness, options) => walked(harness, options, [["desktop-dark", typing], ["no-script", clicking]]) };

async function walked(harness, { server }, ways) {
  let pages = 0;
  for (const [view, hands] of ways) pages += await new Journey(harness, server, view, hands).all();
  return pages;
}

class Journey {
  constructor(harness, server, view, hands) {
    Object.assign(this, { harness, server, view, hands, pages: 0, run: `Easy run ${view}`, other: `A second thought ${view}` });
  }

  async all() {
    this.visitor = await this.harness.visitor(this.view);
    this.page = this.visitor.page;
    this.client = await connectable(this.server.base);
    this.visitor.allowed.add(this.client.origin);
    try {
      for (const step of ["signIn", "consent", "change", "undo", "long", "connections", "tokens", "key", "mine", "expired", "gone"]) {
        this.step = step;
        await this[step]();
      }
    } catch (e) {
      this.harness.fault(`journey ${this.view} ${this.step}`, `${e.message.split("\n").slice(0, 4).join(" / ")} at ${this.page.url()}`);
      await this.visitor.shot("stopped");
    } finally {
      this.client.close();
      await this.visitor.close();
    }
    return this.pages;
  }

  expect(is, what) { return this.harness.expect(`journey ${this.view} ${this.step}`, is, what); }

  // look inspects the page that is open.
  async look(name) {
    await this.page.waitForLoadState();
    this.visitor.where = `${name} [${this.view}] ${new URL(this.page.url()).pathname}`;
    await this.visitor.inspect({ axe: this.view !== "no-script" });
    await this.visitor.shot(name);
    this.pages++;
  }

  button(name, within = this.page) { return within.getByRole("button", { name, exact: typeof name === "string" }); }
  async press(name, within) { await this.hands.press(this.button(name, within).first()); }
  async follow(name) { await this.hands.press(this.page.getByRole("link", { name }).first()); }
  async says(text) { await this.page.getByText(text).first().waitFor(); }
  async menu(name) { await this.hands.press(this.page.getByRole("navigation", { name: "Account" }).getByRole("link", { name })); await this.page.waitForLoadState(); }
  async enter(key) {
    await this.hands.write(this.page.getByLabel(/API key/), key);
    await this.press(/^(Sign in|Continue)$/);
  }

  async signIn() {
    await this.visitor.go("/");
    await this.look("1-landing");
    this.expect((await this.page.locator("#url").textContent()) === `${this.server.base}/mcp`, "the landing page does not show the server's own address");
    await this.visitor.go(this.client.authorizeURL());
    await this.says("waits to be connected");
    await this.look("2-signin");
    await this.enter("a-key-of-nobody");
    await this.says("That did not work");
    await this.look("2-signin-refused");
    await this.enter(this.server.key);
    await this.says("What may it do?");
  }

  async consent() {
    await this.look("3-consent");
    await this.press("Cancel");
    await this.page.waitForURL(`${this.client.redirect}**`);
    const no = this.client.returned(this.page.url());
    this.expect(no.error === "access_denied" && !no.code, `Cancel brings back ${JSON.stringify(no)}`);
    await this.connect({ write: true, confirm: "Always here, by me", toolset: "All of them" });
  }

  async connect({ write, confirm, toolset }) {
    await this.visitor.go(this.client.authorizeURL());
    await this.says("What may it do?");
    const choose = (label) => this.hands.choose(this.page.getByLabel(label, { exact: true }));
    await choose(write ? "Read and write" : "Read only");
    if (write) await choose(confirm);
    await choose(toolset);
    await this.press("Connect");
    await this.page.waitForURL(`${this.client.redirect}**`);
    const { code } = this.client.returned(this.page.url());
    if (!this.expect(code, "no code came back")) return;
    const granted = await this.client.redeem(code);
    this.expect(granted.scope === (write ? "read write" : "read"), `granted is ${granted.scope}`);
  }

  async propose(name, more = {}) {
    const { status, result } = await this.client.call("add_or_update_event", { workout_type: "Run", name, start_date: "+20d", moving_time: 2400, ...more });
    this.expect(status === 200 && result.status === "preview" && result.approve_url, `a proposal under "person" answers ${status} ${JSON.stringify(result).slice(0, 200)}`);
    return result;
  }

  async planned(name) {
    const { result } = await this.client.call("get_events", { start_date: "+20d", end_date: "+20d" });
    return (result.events ?? []).some((e) => e.name === name);
  }

  async change() {
    const kept = await this.propose(this.run);
    await this.propose(this.other);
    this.expect((await this.client.call("confirm_change", { confirmation: new URL(kept.approve_url).pathname.split("/").at(-1), summary: kept.summary })).isError, "the assistant can approve for the person");
    await this.visitor.go("/account");
    this.expect(/2/.test(await this.page.getByRole("link", { name: /Waiting/ }).textContent()), "the menu does not say that two changes wait");
    await this.menu(/Waiting/);
    await this.look("4-waiting");
    const card = (name) => this.page.getByRole("article").filter({ hasText: name });
    await this.press(/^Drop/, card(this.other));
    await this.says("Dropped. Nothing was changed.");
    this.expect(!(await this.planned(this.run)), "it was made before anybody approved it");
    await this.visitor.go(kept.approve_url);
    await this.look("4-one-change");
    await this.press(/^Approve/);
    await this.page.getByRole("heading", { name: "Done" }).waitFor();
    await this.look("4-made");
    this.expect(await this.planned(this.run), "what was approved was not made");
    this.expect(!(await this.planned(this.other)), "what was dropped was made");
    await this.visitor.go(kept.approve_url);
    await this.says(/no longer|answered|over/i);
    await this.look("4-answered-before");
  }

  async undo() {
    await this.visitor.go("/account/history");
    await this.hands.open(this.page.locator("summary").first());
    await this.look("5-history");
    await this.press(/^Undo/);
    await this.page.getByRole("heading", { name: "Undo this?" }).waitFor();
    await this.look("5-undo");
    this.expect(await this.planned(this.run), "Undo acts before it is confirmed");
    await this.press(/^Approve/);
    await this.page.getByRole("heading", { name: /Undone|Done/ }).waitFor();
    await this.look("5-undone");
    this.expect(!(await this.planned(this.run)), "it was not undone");
    await this.follow("See it in the history");
    await this.look("5-entry");
    this.expect((await this.page.getByRole("link", { name: "an earlier change" }).count()) === 1, "the entry does not lead to what it undid");
  }

  // long: what is too much for one page is read whole before it is approved.
  async long() {
    const lines = Array.from({ length: 450 }, (_, i) => `Kilometre ${i + 1}: <easy>`);
    const { approve_url } = await this.propose("A very long letter", { workout_type: undefined, category: "NOTE", description: lines.join("\n"), moving_time: undefined });
    await this.visitor.go("/account/changes");
    this.expect((await this.button(/^Approve/).count()) === 0, "Approve stands where only a part can be read");
    await this.follow(/^See all/);
    let read = await this.page.locator(".diff").allTextContents();
    await this.look("6-long");
    for (let i = 0; i < 9 && (await this.page.getByRole("link", { name: "Next part" }).count()); i++) {
      await this.follow("Next part");
      await this.page.waitForLoadState();
      read = read.concat(await this.page.locator(".diff").allTextContents());
      if (i === 0) await this.look("6-long-next");
    }
    const all = read.join("\n");
    this.expect(lines.every((l) => all.includes(l)), `not all ${lines.length} lines can be read: ${lines.filter((l) => !all.includes(l)).length} are missing`);
    await this.press(/^Drop/);
    await this.says("Dropped");
    this.expect(approve_url.startsWith(this.server.base), `approving is at ${approve_url}`);
  }

  async connections() {
    await this.menu("Connections");
    await this.look("7-connections");
    await this.follow(/^Change permissions/);
    await this.look("7-permissions");
    await this.hands.choose(this.page.getByLabel("Read only", { exact: true }));
    await this.press("Save");
    await this.says("Saved");
    this.expect((await this.client.call("delete_event", { event_id: 1 })).status === 403, "a reader may write");
    this.expect((await this.client.call("get_events")).status === 200, "a reader may not read");
    await this.press(/^Revoke/);
    await this.says("The connection is revoked");
    await this.look("7-revoked");
    this.expect((await this.client.call("get_events")).status === 401, "what was revoked still works");
  }

  async tokens() {
    await this.menu("Tokens");
    await this.look("8-tokens-none");
    await this.hands.write(this.page.getByLabel("What is it for?"), "Weekly report");
    await this.hands.pick(this.page.getByLabel("How long is it good?"), "30 days");
    await this.hands.choose(this.page.getByLabel("Read only", { exact: true }));
    await this.press("Make the token");
    await this.says("Copy it now");
    await this.look("8-token");
    const token = await this.page.locator("#token").textContent();
    this.expect((await this.client.call("get_events", {}, token)).status === 200, "the new token does not work");
    await this.menu("Tokens");
    this.expect(!(await this.page.content()).includes(token), "the token is shown a second time");
    await this.press(/^Revoke/);
    await this.says("The token is revoked");
    this.expect((await this.client.call("get_events", {}, token)).status === 401, "a revoked token works");
  }

  async key() {
    await this.menu("Key");
    await this.press("Test it");
    await this.says("It works");
    await this.look("9-key");
    await this.hands.write(this.page.getByLabel("New API key"), "a-key-of-nobody");
    await this.press("Replace");
    await this.says("does not accept that key");
    await this.look("9-key-refused");
    await this.hands.write(this.page.getByLabel("New API key"), this.server.key);
    await this.press("Replace");
    await this.says("The key is stored");
    await this.hands.choose(this.page.getByLabel("Yes, disconnect everything"));
    await this.press("Forget the key");
    await this.says("The key is deleted here");
    await this.look("9-key-forgotten");
    await this.hands.write(this.page.getByLabel("New API key"), this.server.key);
    await this.press("Store it");
    await this.says("The key is stored");
  }

  async mine() {
    await this.menu("My data");
    await this.look("10-mine");
    const [file] = await Promise.all([this.page.waitForEvent("download"), this.follow("Download my data")]);
    const text = await file.createReadStream().then((s) => s.toArray()).then((chunks) => Buffer.concat(chunks).toString());
    this.expect(text.includes(this.run) && !text.includes(this.server.key), "the download lacks the history or holds the key");
    JSON.parse(text);
  }

  // expired: the session ends while a form is open, in another window.
  async expired() {
    await this.menu("Tokens");
    await this.hands.write(this.page.getByLabel("What is it for?"), "Too late");
    await this.visitor.context.clearCookies();
    await this.press("Make the token");
    await this.page.getByRole("heading", { name: "This form is too old" }).waitFor();
    await this.look("11-form-expired");
    await this.visitor.go("/account/history");
    await this.look("11-signin");
    await this.enter(this.server.key);
    await this.page.getByRole("heading", { name: "History" }).waitFor();
    await this.press("Sign out");
    await this.page.waitForURL(`${this.server.base}/`);
    await this.visitor.go("/account");
    this.expect(this.page.url().includes("/account/signin"), "who signed out is still signed in");
    await this.enter(this.server.key);
    await this.page.getByRole("heading", { name: "Connections" }).waitFor();
    await this.look("11-connections-none");
  }

  async gone() {
    await this.menu("My data");
    await this.hands.write(this.page.getByLabel(/to confirm/), "yes");
    await this.press("Delete everything");
    await this.says("Nothing was deleted");
    await this.look("12-untyped");
    await this.hands.write(this.page.getByLabel(/to confirm/), "Delete");
    await this.press("Delete everything");
    await this.page.getByRole("heading", { name: "Everything is deleted" }).waitFor();
    await this.look("12-deleted");
    await this.visitor.go("/account");
    this.expect(this.page.url().includes("/account/signin"), "who deleted everything is still signed in");
  }
}
