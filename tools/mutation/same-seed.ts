// Property tests try the same values for every mutant, so that a verdict can be repeated.
import fc from "fast-check";

fc.configureGlobal({ seed: 1 });
