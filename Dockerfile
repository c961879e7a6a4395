# One image for every role. The steps are those of .ci/run: `npm ci` from the lockfile, then Node runs the sources as they are.
# The version of Node is the one package.json names, so that a container and a checkout run the same.
FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# npm wants to see the workspace, though nothing of it is installed: the dashboard's packages are only for its build.
COPY dashboard/package.json ./dashboard/
# Of DuckDB npm installs the build for this platform alone (x64 71 MB, arm64 63 MB); Debian's glibc is what it is tested with.
# Without install scripts npm fetches no Node of its own: over 120 MB that checkouts need and this image has already.
RUN npm ci --omit=dev --ignore-scripts

FROM node:24.21.0-bookworm-slim
# As process 1 tini passes signals on, and reaps the engine's process when the service was killed.
RUN apt-get update \
  && apt-get install -y --no-install-recommends tini \
  && rm -rf /var/lib/apt/lists/* \
  && install -d -o node -g node -m 0700 /data \
  && ln -s /app/bin/sextant.js /usr/local/bin/sextant
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY bin ./bin
COPY src ./src
COPY dashboard/dist ./dashboard/dist
RUN node src/http/dashboard/write-copies.ts
COPY script/dist ./script/dist
COPY docs ./docs
# bin/sextant.js says why.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=1048576 MALLOC_TRIM_THRESHOLD_=33554432
ENV NODE_ENV=production SEXTANT_DATA_DIR=/data SEXTANT_HOST=0.0.0.0
# By number, so that a cluster can see that it is not root. Everything it writes is below /data: the root file system may be read-only.
USER 1000:1000
VOLUME /data
EXPOSE 3000 3001 3002
# Is the process alive? Not /readyz: an orchestrator ends what is unhealthy, and a node without its engine still takes events.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SEXTANT_OPS_PORT || 3002}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "node", "--v8-pool-size=1", "--max-semi-space-size=8", "/app/src/main.ts"]
CMD ["serve"]
