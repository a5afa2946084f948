import { it } from "vitest";
import { frozenCommands, statesBefore } from "./frozen-commands.ts";
import { preparedLab, runSchedule, type Freeze } from "./frozen-schedule.ts";
import { kubeClient } from "@outrigger/cluster";
it("debug", async () => {
  for (const line of (process.env["DEBUG27"] ?? "").split("\n").filter(Boolean)) {
    const [, state, a, ha, ca, b, hb, cb] = /^(\d) (.+?) \((in|after|paused in) (\d+)\), (.+?)(?: \((in|after|paused in) (\d+)\))?$/.exec(line)!;
    const { lab, reset } = await preparedLab(statesBefore[Number(state)]!);
    reset();
    const log: string[] = [];
    const orig = lab.api.direct;
    lab.api.direct = async (r) => { const x = await orig(r); log.push(`${r.method} ${r.path.slice(0, 110)} ${x.status}`); return x; };
    const ask = lab.publisher.ask, read = lab.publisher.readRecord;
    (lab.publisher as any).ask = async (q: any) => { log.push(`ask ${q.action} lease ${q.lease?.id?.slice(0, 6)} ${q.lease?.seconds}`); return ask(q); };
    (lab.publisher as any).readRecord = async (q: any) => { log.push(`readRecord`); return read(q); };
    const find = (n: string) => frozenCommands.find(({ name }) => name === n)!;
    const out = await runSchedule(lab, { commands: [find(a!), find(b!)], first: { how: ha, call: Number(ca) } as Freeze, ...(hb && { second: { how: hb, call: Number(cb) } as Freeze }) });
    console.log(line, JSON.stringify(out, null, 1), log.map((l, i) => `${i + 1} ${l}`).join("\n"), lab.lines.join("\n"));
    await lab.close();
  }
});
