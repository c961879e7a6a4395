/** Fails when a package of the lockfile has a licence that is not on the list: `npm run licences`. */
import { findRefusedLicences, readLockfile } from "./generate/lockfile.ts";

const lockfile = readLockfile();
const refused = findRefusedLicences(lockfile);
for (const line of refused) process.stderr.write(`${line}\n`);
if (refused.length > 0) process.exitCode = 1;
else process.stdout.write(`the licences of ${Object.keys(lockfile).length} packages are on the list\n`);
