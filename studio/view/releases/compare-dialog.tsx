// What one release does otherwise than another, on the pods that are known.

import { Button } from "../../component/button.tsx";
import { Dialog } from "../../component/dialog.tsx";
import { compared } from "../../model/releases.ts";
import { say } from "../../text/say.ts";
import { PlannedImpactView } from "../impact-views.tsx";

export function CompareDialog({ before, after, impact }: NonNullable<typeof compared.value>) {
  const close = () => {
    compared.value = undefined;
  };
  return (
    <Dialog title={say("compare.title", { before, after })} onClose={close}>
      <PlannedImpactView impact={impact} />
      <p class="actions end">
        <Button onClick={close}>{say("close")}</Button>
      </p>
    </Dialog>
  );
}
