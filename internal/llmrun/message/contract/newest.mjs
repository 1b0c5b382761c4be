// Prints what to install for the newest versions of the packages in package.json: within the major version of an alias such as
// ai-5, and without the compiler, whose API changes with its major version.

import fs from "node:fs";

const { dependencies } = JSON.parse(fs.readFileSync("package.json"));
for (const [name, version] of Object.entries(dependencies)) {
  const major = version.split(".")[0];
  if (name != "typescript") console.log(version.startsWith("npm:") ? `${name}@${major}` : `${name}@latest`);
}
