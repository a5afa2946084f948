// What one release does otherwise than another, on the pods that are known.

import { Button } from "../../component/button.tsx";
import { Dialog } from "../../component/dialog.tsx";
import { compared } from "../../model/releases.ts";
import { say } from "../../text/say.ts";
import { ImpactViews } from "../impact-views.tsx";

export function CompareDialog({ before, after, impact }: NonNullable<typeof compared.value>) {
  const close = () => {
    compared.value = undefined;
  };
  return (
    <Dialog title={say("compare.title", { before, after })} onClose={close}>
      {typeof impact === "string" ? <p class="banner">{impact}</p> : <ImpactViews {...impact} />}
      <p class="actions end">
        <Button onClick={close}>{say("close")}</Button>
      </p>
    </Dialog>
  );
}
