// Pods that run keep what they have: how many still have a release that new pods do not get, and what replaces them.

import { openRestart } from "../../actions/restarting.ts";
import { Badge, Button } from "../../component/controls.tsx";
import { running } from "../../model/releases.ts";
import { workspace } from "../../model/state.ts";
import { say } from "../../text/say.ts";
import type { ChannelState } from "../../wire.ts";
import { shortName } from "../move-sheet.tsx";

interface LeftPodsProps {
  /** The name of the channel. */
  readonly name: string;
  readonly record: Pick<ChannelState, "left">;
}

/** The pods of the release that the channel served before. */
export function LeftPods({ name, record: { left } }: LeftPodsProps) {
  if (left === undefined) return null;
  const release = shortName(left.release);
  const { value } = running;
  if (value === undefined || "words" in value) {
    // How many is not known: only what was taken back is urgent.
    if (!left.isTakenBack || (value === undefined && workspace.value.cluster !== null)) return null;
    return (
      <RestartHint text={say("left.unknown", { release })} command="outrigger restart --deployment … --context …" />
    );
  }
  const count = value.replaced[name]?.[left.release] ?? 0;
  if (count > 0)
    return <RestartHint text={say("left.pods", { count, release, name: value.cluster })} command={value.restart} />;
  if (!left.isTakenBack) return null;
  return (
    <p>
      <Badge tone="good">{say("left.none", { release, name: value.cluster })}</Badge>
    </p>
  );
}

/** What replaces pods: the command, and where the studio has the cluster, a button that runs it. */
export function RestartHint({ text, command }: { readonly text: string; readonly command: string }) {
  return (
    <div class="banner" role="status">
      <p>{text}</p>
      <p class="row">
        <code>{command}</code>{" "}
        <Button tone="link" onClick={() => void navigator.clipboard?.writeText(command)} text={say("copy")} />
        {workspace.value.cluster !== null && <Button onClick={() => void openRestart()} text={say("restart.open")} />}
      </p>
    </div>
  );
}
