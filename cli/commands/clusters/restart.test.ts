import { afterAll, expect, it } from "vitest";
import { fakeCli } from "../../../test/cli/fake-cli.ts";

const cli = fakeCli(() => Promise.reject(new Error("AWS was asked")));
afterAll(() => cli.remove("."));

it.each<readonly [words: string, why: string]>([
  ["--container istio-proxy", "--container says what --in-place may change: use both"],
  ["again", "Allowed choices are status, stop, resume"],
  ...["22:00", "22:00-24:00", "22:60-04:00", "2:00-04:00", "22:00-04:00-05:00", "22:00-22:00", "x22:00-04:00"].map(
    (window) => [`--window ${window}`, "A window is two times of a day in UTC, as 22:00-04:00."] as const,
  ),
])("outrigger restart %s is refused before anything is asked", async (words, why) => {
  expect(await cli.run(`restart ${words}`)).toMatchObject({ code: 2, out: "", err: expect.stringContaining(why) });
});

it.each([
  "--in-place --container istio-proxy",
  ...["22:00-04:00", "00:00-23:59", "19:30-20:05"].map((window) => `--window ${window}`),
])("outrigger restart %s asks for the deployment", async (words) => {
  expect((await cli.run(`restart --clusters shop ${words}`)).err).toContain("AWS was asked");
});
