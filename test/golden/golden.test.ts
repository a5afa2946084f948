// Every suite on the conformance cases, in one file: most of their time is the making of some hundred injectors.
import { findCases } from "./cases.ts";
import { describeConformance } from "./conformance.ts";
import { describeReinjection } from "./reinjection.ts";

const cases = await findCases();
if (cases.notice !== undefined) console.warn(cases.notice);

describeConformance(cases);
describeReinjection(cases);
