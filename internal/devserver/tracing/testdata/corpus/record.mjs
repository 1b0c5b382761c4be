// Runs programs against a stand-in for models, and records the requests that they send to a tracing service, byte for byte:
// node record.mjs DIRECTORY [PROGRAM]... writes DIRECTORY/PROGRAM.json.gz. The last line of each is the list of packages.
import { spawn } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { basename } from "node:path";
import { gzipSync } from "node:zlib";
import { startModel } from "./model.mjs";

const [directory, ...named] = process.argv.slice(2);
const programs = named.length > 0 ? named : (await readdir("programs")).map((file) => basename(file, ".mjs")).filter((name) => !name.startsWith("_"));

// info is what the service says about itself to clients that ask before they send.
const info = {
  version: "0.18.0", license_expiration_time: "2099-01-01T00:00:00", instance_flags: { gzip_body_enabled: true, zstd_compression_enabled: true },
  batch_ingest_config: { use_multipart_endpoint: true, size_limit: 100, size_limit_bytes: 20971520, scale_up_qsize_trigger: 1000, scale_up_nthreads_limit: 16, scale_down_nempty_trigger: 4 },
};

// startTracing accepts everything, and keeps the requests that log something.
async function startTracing() {
  const requests = [];
  const server = createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(info));
      return;
    }
    const header = Object.fromEntries(["content-type", "content-encoding", "langsmith-project"].filter((name) => request.headers[name])
      .map((name) => [name, request.headers[name]]));
    requests.push({ method: request.method, path: request.url, header, body: Buffer.concat(pieces).toString("base64") });
    const otlp = request.url.startsWith("/otel");
    response.writeHead(otlp ? 200 : 202, { "content-type": otlp ? request.headers["content-type"] : "application/json" });
    response.end(otlp ? "" : "{}");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, requests, close: () => server.close() };
}

// packagesOf returns the versions of the packages that a program and the modules beside it import.
async function packagesOf(file, found = {}) {
  for (const [, name] of (await readFile(file, "utf8")).matchAll(/(?:from|import) "([^"]+)"/g)) {
    if (name.startsWith("./")) await packagesOf(`programs/${name}`, found);
    else if (!name.startsWith("node:")) {
      const root = name.split("/").slice(0, name.startsWith("@") ? 2 : 1).join("/");
      const { name: real, version } = JSON.parse(await readFile(`node_modules/${root}/package.json`, "utf8"));
      found[real] = version;
    }
  }
  return found;
}

const model = await startModel();
for (const program of programs) {
  const tracing = await startTracing();
  const child = spawn("node", [`programs/${program}.mjs`], { stdio: "inherit", env: {
    PATH: process.env.PATH, NODE_OPTIONS: "--stack-trace-limit=0", MODEL: model.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${tracing.url}/otel`, OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    LANGSMITH_TRACING: String(program.endsWith("-langsmith")), LANGSMITH_ENDPOINT: tracing.url, LANGSMITH_API_KEY: "sesame", LANGSMITH_PROJECT: "default",
  } });
  const status = await new Promise((resolve) => child.on("exit", resolve));
  tracing.close();
  if (status !== 0) throw new Error(`${program} ended with ${status}`);
  const lines = [...tracing.requests, { node: process.versions.node, packages: await packagesOf(`programs/${program}.mjs`) }];
  await writeFile(`${directory}/${program}.json.gz`, gzipSync(lines.map((line) => JSON.stringify(line) + "\n").join(""), { level: 9 }));
  console.log(`${program}: ${tracing.requests.length} requests`);
}
model.close();
