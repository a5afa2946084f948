// The page as it is built for users, once for all tests.
import { buildStudio } from "../../scripts/build-studio.ts";

export async function setup(): Promise<void> {
  await buildStudio();
}
