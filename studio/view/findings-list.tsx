// What is wrong with the tree. A finding leads to its line.

import type { TreeFinding } from "@outrigger/injector";
import { Button } from "../component/controls.tsx";
import { openAt } from "../model/state.ts";
import { say } from "../text/say.ts";

export function FindingsItems({ findings }: { readonly findings: readonly TreeFinding[] }) {
  if (findings.length === 0) return <p class="quiet">{say("findings.none")}</p>;
  return (
    <ul class="findings">
      {findings.map((finding) => (
        <li key={JSON.stringify(finding)} class={`row ${finding.severity}`}>
          <span class="toned">{say(`severity.${finding.severity}`)}</span>
          <FindingButton finding={finding} />
          <span lang="en">{finding.message}</span>
        </li>
      ))}
    </ul>
  );
}

export function FindingButton({ finding }: { readonly finding: TreeFinding }) {
  const { path, line } = finding;
  return (
    <Button tone="link" disabled={path === ""} onClick={() => openAt(finding)}>
      {path}
      {line === undefined ? "" : `, ${say("line", { line })}`}
    </Button>
  );
}
