// What comes after the first preview: until then its place is empty.

import { signal } from "@preact/signals";
import type { FunctionComponent, VNode } from "preact";

type Pages = Readonly<Record<"ChangePage" | "ReleasesPage" | "RestartSheet", FunctionComponent>>;
type Form = Readonly<Record<"WhoGetsIt", (props: { readonly path: string }) => VNode>>;

/** What is loaded after the first preview. The pages show editors, and so come to this file from above. */
export type Parts = typeof import("../editor/editors.ts").editors & Pages & Form;

const loaded = signal<Parts | undefined>(undefined);

export function showParts(parts: Parts): void {
  loaded.value = parts;
}

function late<Name extends keyof Parts>(name: Name) {
  type Props = Parameters<Parts[Name]> extends [infer Given extends object] ? Given : object;
  return (props: Props) => {
    const Part = loaded.value?.[name] as FunctionComponent<Props> | undefined;
    return Part === undefined ? <div class="column fill" /> : <Part {...props} />;
  };
}

export const SourceEditor = late("SourceEditor");
export const PodView = late("PodView");
export const TextView = late("TextView");
export const ConflictView = late("ConflictView");
export const DiffView = late("DiffView");
export const Usages = late("Usages");
export const ReleasesPage = late("ReleasesPage");
export const ChangePage = late("ChangePage");
export const RestartSheet = late("RestartSheet");
export const WhoGetsIt = late("WhoGetsIt");
