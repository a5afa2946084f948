// placeholder until the CLI lands
export async function openCliDoor() {
  return undefined;
}
