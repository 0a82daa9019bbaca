// Invitations, and a coach who is invited with many athletes: all of them in one
// tap, some, or none; and what the connection then really reaches.
import { connectable } from "../client.mjs";
import { clicking, typing } from "../hands.mjs";

export async function run(harness, { server }) {
  await invited(harness, server);
  for (const [view, hands] of [["desktop-light", typing], ["no-script", clicking]]) await coach(harness, server, view, hands);
  return 7;
}

// invited: an athlete whom the server does not know comes in by a link, once.
async function invited(harness, server) {
  const visitor = await harness.visitor("phone-dark");
  const { page } = visitor;
  const expect = (is, what) => harness.expect("invitation", is, what);
  const other = server.athletes[1];
  await visitor.go("/account/signin");
  await page.getByLabel(/API key/).fill(other.api_key);
  await page.getByRole("button", { name: "Sign in" }).click();
  expect(await page.getByText("That did not work").isVisible(), "an athlete who is not invited gets in");
  const link = server.invite("--athlete", other.id, "--from", "Velo Club");
  await visitor.go(link);
  expect(await page.getByText("Velo Club").first().isVisible(), "the invitation does not say whose it is");
  await visitor.inspect();
  await visitor.shot("1-invitation");
  await page.getByLabel(/API key/).fill(server.key); // another's
  await page.getByRole("button", { name: "Accept and sign in" }).click();
  await visitor.shot("1-anothers");
  await visitor.go(link);
  await page.context().clearCookies();
  await visitor.go(link);
  await page.getByLabel(/API key/).fill(other.api_key);
  await page.getByRole("button", { name: "Accept and sign in" }).click();
  await page.getByRole("heading", { name: "Connections" }).waitFor();
  await visitor.shot("1-inside");
  await page.context().clearCookies();
  await visitor.go(link);
  expect(await page.getByRole("heading", { name: "This invitation cannot be used" }).isVisible(), "the invitation is good a second time");
  await visitor.inspect();
  await visitor.shot("1-used");
  await visitor.close();
}

async function coach(harness, server, view, hands) {
  const visitor = await harness.visitor(view);
  const { page } = visitor;
  const expect = (is, what) => harness.expect(`coach [${view}]`, is, what);
  const who = server.athletes.find((a) => a.coach_of?.length > 1);
  const mine = who.coach_of;
  const client = await connectable(server.base, "Squad planner");
  visitor.allowed.add(client.origin);
  await visitor.go(server.invite("--coach", "--athlete", who.id));
  await hands.write(page.getByLabel(/API key/), who.api_key);
  await hands.press(page.getByRole("button", { name: "Accept and sign in" }));
  await page.getByRole("heading", { name: "Connections" }).waitFor();

  const answer = async (choice, athletes = []) => {
    await visitor.go(client.authorizeURL());
    await hands.choose(page.getByRole("radio", { name: choice }));
    for (const id of athletes) await hands.choose(page.getByRole("checkbox", { name: new RegExp(id) }));
    await hands.press(page.getByRole("button", { name: "Connect", exact: true }));
  };
  const reached = async () => {
    await page.waitForURL(`${client.redirect}**`);
    await client.redeem(client.returned(page.url()).code);
    const reaches = [];
    for (const a of server.athletes) {
      const r = await client.call("get_wellness_data", { athlete_id: a.id, start_date: "-2d" });
      if (r.status === 200 && !r.isError) reaches.push(a.id);
    }
    return reaches.sort().join();
  };
  await visitor.go(client.authorizeURL());
  await visitor.inspect({ axe: view !== "no-script" });
  await visitor.shot("2-consent");
  await answer("Only these");
  await page.getByText("Tick the athletes it may reach").waitFor();
  await visitor.shot("2-nobody-ticked");
  await answer("Only these", mine.slice(1, 2));
  expect((await reached()) === [who.id, mine[1]].sort().join(), "one athlete was ticked, and others are reached");
  await answer(/^All \d+ whom I coach/);
  expect((await reached()) === [who.id, ...mine].sort().join(), "all were chosen, and not all are reached");
  await answer("None of them");
  expect((await reached()) === who.id, "none was chosen, and somebody is reached");
  await visitor.go("/account");
  await visitor.inspect({ axe: view !== "no-script" });
  await visitor.shot("3-connections");
  await visitor.go("/account/tokens");
  await visitor.inspect({ axe: view !== "no-script" });
  await visitor.shot("3-tokens");
  client.close();
  await visitor.close();
}
