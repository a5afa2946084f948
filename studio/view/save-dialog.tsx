// Asks before edits of a deployment are saved: what they change in which pods, where they are published, and why.

import { useSignal } from "@preact/signals";
import { Button } from "../component/controls.tsx";
import { Dialog } from "../component/dialog.tsx";
import { releases, whatBecomesOfEdits } from "../model/releases.ts";
import { draftPaths, examined, findings, isReviewed } from "../model/state.ts";
import { say } from "../text/say.ts";
import { FindingsItems } from "./findings-list.tsx";
import { ImpactViews } from "./impact-views.tsx";
import { WhyField } from "./why-field.tsx";

export function SaveDialog({ onReviewed }: { readonly onReviewed: (why: string) => void }) {
  const why = useSignal("");
  const errors = findings.value.filter(({ severity }) => severity === "error");
  const close = () => {
    isReviewed.value = false;
  };
  return (
    <Dialog title={say("save.all", { count: draftPaths.value.length })} onClose={close}>
      <ul class="paths">
        {draftPaths.value.map((path) => (
          <li key={path}>
            <code>{path}</code>
          </li>
        ))}
      </ul>
      <p>{say(...whatBecomesOfEdits(releases.value, "ahead"))}</p>
      {errors.length > 0 ? <FindingsItems findings={errors} /> : <ImpactViews {...examined.value} />}
      <WhyField why={why} />
      <p class="actions end">
        <Button onClick={close}>{say("move.cancel")}</Button>
        <Button tone="primary" disabled={errors.length > 0} onClick={() => onReviewed(why.value)}>
          {say("save.confirm")}
        </Button>
      </p>
    </Dialog>
  );
}
