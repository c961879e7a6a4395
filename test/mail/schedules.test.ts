import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Registry } from "prom-client";
import { createMemoryLimiter } from "../../src/control/rate-limit.ts";
import { createSecretBox } from "../../src/control/secret-box.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createStreamThread } from "../../src/lib/stream-thread.ts";
import { addDays, DAY_MS } from "../../src/lib/time.ts";
import { dayIn } from "../../src/lib/time-zones.ts";
import { createMailLinks } from "../../src/mail/links.ts";
import { createSendMail } from "../../src/mail/send-delivery.ts";
import { createMailer, type Mailer } from "../../src/mail/smtp.ts";
import { REPORT_WRITERS } from "../../src/schedules/message.ts";
import { type RunDueDeps, runDue } from "../../src/schedules/run-due.ts";
import { createJobQuestions } from "../../src/service/roles/job-questions.ts";
import { type Delivery, startDelivery } from "../../src/webhooks/delivery.ts";
import { TEST_SECRET } from "../support/api.ts";
import { type BoardApi, startBoardApi } from "../support/board-api.ts";
import { quietLog } from "../support/control.ts";
import { startLocalEngine } from "../support/local-engine.ts";
import { decodeHeader, type ReceivedMail, startMailServer, type TestMailServer } from "../support/mail-server.ts";
import { startTarget, type Target } from "../support/targets.ts";
import { waitFor } from "../support/wait.ts";

interface Schedule {
  id: string;
  active: boolean;
  next_at: string;
  last_error: string | null;
  recipients: { type: string; value: string; state: string }[];
}
interface Runs {
  data: {
    id: string;
    date_from: string;
    date_to: string;
    deliveries: { type: string; state: string; attempts: number }[];
  }[];
}

describe("scheduled reports through a real mail server", () => {
  let site: BoardApi;
  let smtp: TestMailServer;
  let slack: Target;
  let mailer: Mailer;
  let delivery: Delivery;
  let due: RunDueDeps;
  const refusals = new Map<string, number>();
  const thread = createStreamThread();
  before(async () => {
    site = await startBoardApi("sqlite", startLocalEngine, { hasMail: true });
    smtp = await startMailServer({
      refuse(to) {
        const code = refusals.get(to);
        return code === undefined ? undefined : { code, message: "not now" };
      },
    });
    slack = await startTarget((response) => response.end("ok"));
    const { store } = site.api;
    mailer = createMailer({
      ...{ host: "127.0.0.1", port: smtp.port, isSecure: false, user: "", password: "", allowPlain: true },
      from: "Sextant <reports@example.com>",
    });
    const publicUrl = () => site.api.apiUrl;
    const sendMail = createSendMail({
      store,
      box: createSecretBox(TEST_SECRET, "webhook secrets"),
      mailer,
      links: createMailLinks(TEST_SECRET),
      limiter: createMemoryLimiter(),
      perDay: 1_000,
      publicUrl,
      clock: systemClock,
      writers: REPORT_WRITERS,
    });
    delivery = await startDelivery({
      store,
      secret: TEST_SECRET,
      policy: { allowNetworks: [], allowLoopback: true },
      version: "0",
      steady: systemClock,
      registry: new Registry(),
      log: quietLog,
      sendMail,
    });
    const { gather } = createJobQuestions({ store, engine: site.engine, sqlTimeoutMs: 60_000, thread });
    due = { store, gather, publicUrl, wakeDelivery: delivery.wake, log: quietLog };
  });
  after(async () => {
    await delivery.stop();
    await mailer.close();
    await thread.close();
    await smtp.stop();
    await slack.close();
    await site.stop();
  });

  const run = (nowMs: number) => runDue(due, nowMs, new AbortController().signal);
  const mailsTo = (address: string) => smtp.mails.filter(({ to }) => to.includes(address));
  const create = (body: object) =>
    site.get<Schedule>("POST", "/v0/report_schedules", {
      ...{ project_id: site.project, title: "Weekly", every: "week", timezone: "Europe/Berlin", hour: 8 },
      ...body,
    });
  /** The same hour of a week ago: its days are over, and have events. */
  const moveBack = async ({ id, next_at }: Schedule) => {
    const dueAtMs = Date.parse(next_at) - 7 * DAY_MS;
    await site.api.store.write((tx) =>
      tx.updateTable("report_schedules").set({ next_at: dueAtMs }).where("id", "=", id).execute(),
    );
    return dueAtMs;
  };
  const read = (id: string) => site.get<Schedule>("GET", `/v0/report_schedules/${id}`);
  const runsOf = async (id: string) => (await site.get<Runs>("GET", `/v0/report_schedules/${id}/runs`)).data;
  const linkOf = (mail: ReceivedMail | undefined) => /https?:\/\/\S+\/m\/[\w.-]+/.exec(mail?.text ?? "")?.[0] ?? "";
  const press = (url: string, body: string) =>
    fetch(url, { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body });
  /** Confirms as its owner would, by the link in the mail. */
  const confirmBy = async (address: string) => {
    const mail = await waitFor("the mail that asks", () =>
      mailsTo(address).find(({ text }) => text.includes("Confirm")),
    );
    assert.equal((await press(linkOf(mail), "what=confirm")).status, 200);
  };

  test("an owner is asked first; then the report comes once, with the numbers of the API, until they unsubscribe", async () => {
    const address = "ada@example.com";
    const made = await create({
      recipients: [
        { type: "email", value: address },
        { type: "slack", value: `${slack.url}/services/T0/SECRETPART` },
      ],
    });
    assert.deepEqual(
      made.recipients.map(({ state }) => state),
      ["unconfirmed", "active"],
    );
    assert.equal(made.recipients[1]?.value.includes("SECRETPART"), false);
    const asking = await waitFor("the mail that asks", () => mailsTo(address)[0]);
    assert.equal(asking.headers.has("list-unsubscribe"), false);

    const dueAtMs = await moveBack(made);
    assert.equal(await run(dueAtMs - 1), 0);
    await Promise.all([run(dueAtMs), run(dueAtMs)]);
    await run(dueAtMs + 60_000);
    await waitFor("the message of Slack", () => slack.received.length === 1);
    const [told] = await runsOf(made.id);
    assert.equal((await runsOf(made.id)).length, 1);
    assert.equal(told?.date_to, addDays(dayIn("Europe/Berlin", dueAtMs), -1));
    assert.equal(told?.date_from, addDays(told?.date_to ?? "", -6));
    await waitFor("the first attempt", async () => {
      const deliveries = (await runsOf(made.id))[0]?.deliveries ?? [];
      return deliveries.some(({ type, attempts }) => type === "email" && attempts > 0);
    });
    assert.equal(mailsTo(address).length, 1, "nothing but the question before the answer");

    // Programs that check mail open every link: that confirms nothing.
    const page = await fetch(linkOf(asking));
    assert.match(await page.text(), /<form method="post">/);
    assert.deepEqual(
      (await read(made.id)).recipients.map(({ state }) => state),
      ["unconfirmed", "active"],
    );
    await confirmBy(address);
    const mail = await waitFor("the report", () => mailsTo(address)[1]);
    assert.deepEqual(
      (await read(made.id)).recipients.map(({ state }) => state),
      ["active", "active"],
    );

    const query = `project_id=${site.project}&interval=all&date_from=${told?.date_from}&date_to=${told?.date_to}`;
    const { data } = await site.get<{ data: { visitors: number; wallets: number }[] }>("GET", `/v0/kpis?${query}`);
    const visitors = new Intl.NumberFormat("en-US").format(data[0]?.visitors ?? -1);
    assert.match(mail.text, new RegExp(`^  Visitors +${visitors} `, "m"));
    assert.ok(mail.html.includes(`>${visitors}<`), visitors);
    assert.match(mail.text, /█/);
    assert.ok(mail.html.includes(`/app?project=${site.project}&amp;period=custom&amp;from=${told?.date_from}`));
    assert.ok(slack.received[0]?.body.includes(visitors));
    assert.match(decodeHeader(mail.headers.get("subject") ?? ""), /^App: /);
    assert.match(mail.headers.get("message-id") ?? "", /^<dlv_[0-9a-f]{32}@example\.com>$/);
    assert.equal(mail.headers.get("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
    assert.doesNotMatch(mail.html, /<img|<script|https?:\/\/(?!127\.0\.0\.1)/);

    const unsubscribe = /<(.+)>/.exec(mail.headers.get("list-unsubscribe") ?? "")?.[1] ?? "";
    await fetch(unsubscribe);
    assert.equal((await read(made.id)).recipients[0]?.state, "active", "opening the link changes nothing");
    for (const again of [1, 2])
      assert.equal((await press(unsubscribe, "List-Unsubscribe=One-Click")).status, 200, String(again));
    assert.equal((await read(made.id)).recipients[0]?.state, "unsubscribed");
    // Pages send all fields with every change.
    const { recipients } = await read(made.id);
    const changed = await site.get<Schedule>("PATCH", `/v0/report_schedules/${made.id}`, { title: "Same", recipients });
    assert.deepEqual(
      changed.recipients.map(({ state }) => state),
      ["unsubscribed", "active"],
      "a change of the report does not subscribe its owner again",
    );
    await run(dueAtMs + 7 * DAY_MS + 3_600_000);
    await waitFor("the next message of Slack", () => slack.received.length === 2);
    assert.equal((await runsOf(made.id))[0]?.deliveries.filter(({ type }) => type === "email").length, 0);
    assert.equal(mailsTo(address).length, 2);
    await site.get("DELETE", `/v0/report_schedules/${made.id}`);
  });

  test("a start that is weeks late sends the last report once, and says so", async () => {
    // Its hour is on the next day of UTC.
    const zone = "America/Los_Angeles";
    const made = await create({
      timezone: zone,
      hour: 20,
      recipients: [{ type: "slack", value: `${slack.url}/late` }],
    });
    const before = slack.received.length;
    const lateMs = Date.parse(made.next_at) + 24 * DAY_MS;
    await run(lateMs);
    await run(lateMs);
    await waitFor("the message", () => slack.received.length === before + 1);
    const runs = await runsOf(made.id);
    assert.equal(runs.length, 1);
    const dueDay = addDays(dayIn(zone, Date.parse(made.next_at)), 21);
    assert.equal(runs[0]?.date_to, addDays(dueDay, -1));
    const words = { timeZone: "UTC", day: "numeric", month: "long", year: "numeric" } as const;
    const shown = new Intl.DateTimeFormat("en-US", words).format(new Date(dueDay));
    assert.ok(slack.received.at(-1)?.body.includes(`comes late: it was due on ${shown}.`), slack.received.at(-1)?.body);
    assert.ok(Date.parse((await read(made.id)).next_at) > lateMs);
    await site.get("DELETE", `/v0/report_schedules/${made.id}`);
  });

  test("a schedule that cannot be told holds up no other one, and a new title none that is due", async () => {
    const stuck = await create({ recipients: [{ type: "slack", value: `${slack.url}/stuck` }] });
    const other = await create({ recipients: [{ type: "slack", value: `${slack.url}/other` }] });
    const dueAtMs = await moveBack(other);
    const changeStuck = (change: { timezone: string; next_at?: number }) =>
      site.api.store.write((tx) => tx.updateTable("report_schedules").set(change).where("id", "=", stuck.id).execute());
    const dueOf = async ({ id }: Schedule) => Date.parse((await read(id)).next_at);
    const renamed = await site.get<Schedule>("PATCH", `/v0/report_schedules/${other.id}`, { title: "Another name" });
    assert.equal(Date.parse(renamed.next_at), dueAtMs);
    // It comes first. As after a change of the zone data of the machine.
    await changeStuck({ timezone: "Nowhere/Else", next_at: dueAtMs - 1 });
    await run(dueAtMs);
    await changeStuck({ timezone: "Europe/Berlin" });
    assert.equal((await runsOf(other.id)).length, 1);
    assert.ok((await dueOf(other)) > dueAtMs);
    assert.equal((await runsOf(stuck.id)).length, 0);
    assert.match((await read(stuck.id)).last_error ?? "", /tried again/);
    const moved = await site.get<Schedule>("PATCH", `/v0/report_schedules/${stuck.id}`, { hour: 1 });
    assert.ok(Date.parse(moved.next_at) > Date.now(), "another hour sends nothing about days that are over");
    for (const { id } of [stuck, other]) await site.get("DELETE", `/v0/report_schedules/${id}`);
  });

  test("5xx of a mail server ends the delivery, 4xx is tried again", async () => {
    for (const address of ["gone@example.com", "busy@example.com"]) {
      await site.get("POST", "/v0/mail_addresses", { address });
      await confirmBy(address);
    }
    refusals.set("gone@example.com", 550).set("busy@example.com", 451);
    const made = await create({
      recipients: ["gone", "busy"].map((name) => ({ type: "email", value: `${name}@example.com` })),
    });
    await run(Date.parse(made.next_at));
    const states = await waitFor("both attempts", async () => {
      const deliveries = (await runsOf(made.id))[0]?.deliveries ?? [];
      return deliveries.length === 2 && deliveries.every(({ attempts }) => attempts > 0) ? deliveries : undefined;
    });
    assert.deepEqual(states.map(({ state }) => state).sort(), ["failed", "pending"]);
    refusals.clear();
    // The second attempt is 5 seconds later.
    await waitFor("the mail", () => mailsTo("busy@example.com").length === 2);
    const runId = (await runsOf(made.id))[0]?.id ?? "";
    await waitFor("its settlement", async () =>
      (await runsOf(made.id))[0]?.deliveries.some(({ state }) => state === "delivered"),
    );
    await site.get("POST", `/v0/report_schedules/${made.id}/runs/${runId}/resend`);
    delivery.wake();
    await waitFor("the mail that was refused", () => mailsTo("gone@example.com").length === 2);
    const again = await waitFor("the same mail again", () => mailsTo("busy@example.com")[2]);
    assert.equal(again.headers.get("message-id"), mailsTo("busy@example.com")[1]?.headers.get("message-id"));
    await site.get("DELETE", `/v0/report_schedules/${made.id}`);
  });

  test("a board is reported chart by chart, and a schedule ends with its board", async () => {
    const board = await site.get<{ id: string }>("POST", "/v0/boards", { project_id: site.project, title: "Growth" });
    const charts = [
      { chart_type: "number", title: "Wallets", report: "kpis", params: { interval: "all" }, y_axis: ["wallets"] },
      {
        chart_type: "number",
        title: "Swaps",
        query:
          "SELECT count() AS n FROM events WHERE toDate(timestamp) >= {{date_from}} AND toDate(timestamp) <= {{date_to}}",
      },
      { chart_type: "line", title: "By day", report: "kpis", x_axis: "date", y_axis: ["visitors"] },
      { chart_type: "bar", title: "Chains", report: "top_chains", x_axis: "chain_id", y_axis: ["sessions"] },
      {
        chart_type: "funnel",
        title: "Way",
        steps: [
          { type: "event", event: "page" },
          { type: "event", event: "connect" },
        ],
      },
      { chart_type: "retention", title: "Back", settings: {} },
    ];
    for (const chart of charts) await site.get("POST", `/v0/boards/${board.id}/charts`, chart);
    const made = await create({ board_id: board.id, recipients: [] });
    const preview = await site.get<{ text: string; html: string; date_from: string; date_to: string }>(
      "GET",
      `/v0/report_schedules/${made.id}/preview`,
    );
    const query = `project_id=${site.project}&interval=all&date_from=${preview.date_from}&date_to=${preview.date_to}`;
    const { data } = await site.get<{ data: { wallets: number }[] }>("GET", `/v0/kpis?${query}`);
    assert.match(
      preview.text,
      new RegExp(`^  Wallets +${new Intl.NumberFormat("en-US").format(data[0]?.wallets ?? -1)} `, "m"),
    );
    for (const part of ["Swaps", "By day", "Ethereum", "Way (Visitors)", "open the board to see it"])
      assert.ok(preview.text.includes(part), `${part}\n${preview.text}`);
    assert.ok(!preview.text.includes("Unsubscribe"));
    await site.get("DELETE", `/v0/boards/${board.id}?with_charts=true`);
    await run(Date.parse(made.next_at));
    const ended = await read(made.id);
    assert.deepEqual([ended.active, ended.last_error], [false, "Its board was deleted"]);
    assert.equal((await runsOf(made.id)).length, 0);
  });

  test("a wrong link is as one that never was, and an owner who stops is never asked again", async () => {
    const [wrong, absent] = await Promise.all(
      [`whk_${"a".repeat(22)}.${"b".repeat(32)}`, "x"].map((token) =>
        fetch(`${site.api.apiUrl}/m/${token}`, { method: "POST" }),
      ),
    );
    assert.deepEqual([wrong?.status, absent?.status], [404, 404]);
    assert.equal(await wrong?.text(), await absent?.text());
    const address = "eve@example.com";
    await site.get("POST", "/v0/mail_addresses", { address });
    const mail = await waitFor("the mail that asks", () => mailsTo(address)[0]);
    assert.equal((await press(linkOf(mail), "what=stop")).status, 200);
    const asked = await site.get<{ id: string; state: string }>("POST", "/v0/mail_addresses", {
      address: "EVE@example.com",
    });
    assert.equal(asked.state, "stopped");
    assert.equal((await site.call("DELETE", `/v0/mail_addresses/${asked.id}`)).status, 409);
    assert.equal(mailsTo(address).length, 1);
  });

  test("a workspace asks 20 new addresses in a day, and what is no address none", async () => {
    const bad = await site.call("POST", "/v0/mail_addresses", { address: "a@b.example\r\nBcc: c@d.example" });
    assert.equal(bad.status, 400);
    const address = "stranger@example.com";
    const asked = await site.get<{ id: string }>("POST", "/v0/mail_addresses", { address });
    await waitFor("the mail that asks", () => mailsTo(address)[0]);
    assert.equal((await site.call("DELETE", `/v0/mail_addresses/${asked.id}`)).status, 409);
    assert.equal((await site.get<{ id: string }>("POST", "/v0/mail_addresses", { address })).id, asked.id);
    await site.api.store.write((tx) =>
      tx
        .updateTable("mail_addresses")
        .set({ asked_at: Date.now() - 7 * DAY_MS - 1 })
        .where("id", "=", asked.id)
        .execute(),
    );
    assert.equal((await site.call("DELETE", `/v0/mail_addresses/${asked.id}`)).status, 200);
    assert.equal(mailsTo(address).length, 1, "nobody is asked again by forgetting and asking");
    let status = 0;
    for (let n = 0; status !== 429; n += 1) {
      assert.ok(n <= 20);
      status = (await site.call("POST", "/v0/mail_addresses", { address: `n${n}@example.com` })).status;
    }
    const { data } = await site.get<{ data: unknown[] }>("GET", "/v0/mail_addresses");
    assert.equal(data.length, 20);
  });
});
