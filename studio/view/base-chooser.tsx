// Chooses what the preview is compared with: the pod, the saved tree, what a channel serves, or another release.

import { releases } from "../model/releases.ts";
import { type Base, base, workspace } from "../model/state.ts";
import { say } from "../text/say.ts";

const RELEASE = "release/";

export function BaseChooser() {
  const { channels = {} } = releases.value ?? {};
  const served = Object.entries(channels).map(([name, { release }]) => [name, release] as const);
  const older = new Set(Object.values(channels).flatMap(({ history }) => history.map(({ release }) => release)));
  return (
    <label class="field row compare">
      {say("diff.against")}
      <select
        data-testid="base"
        value={baseValue(base.value)}
        onChange={({ currentTarget }) => {
          base.value = parse(currentTarget.value);
        }}
      >
        <option value="pod">{say("diff.pod")}</option>
        <option value="saved">{say(workspace.value.kind === "playground" ? "diff.shipped" : "diff.saved")}</option>
        {served.map(([name, release]) => (
          <option key={name} value={RELEASE + name}>
            {say("diff.channel", { name, release })}
          </option>
        ))}
        {[...older].map((release) => (
          <option key={release} value={RELEASE + release}>
            {say("diff.release", { release })}
          </option>
        ))}
      </select>
    </label>
  );
}

function baseValue(chosen: Base): string {
  return chosen.kind === "release" ? RELEASE + chosen.name : chosen.kind;
}

function parse(value: string): Base {
  if (value.startsWith(RELEASE)) return { kind: "release", name: value.slice(RELEASE.length) };
  return { kind: value === "saved" ? "saved" : "pod" };
}
