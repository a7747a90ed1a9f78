# docs/deploy.md says what the image holds and how to run it. test/deploy follows this file step by step.

# The TypeScript runs as it stands; only the pages of the console are bundled. npm does so as it installs what they need.
FROM node:24-trixie-slim AS console
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages ./packages
RUN npm ci --workspace @carillon/console --omit=dev --no-audit --no-fund

FROM node:24-trixie-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# npm links these into node_modules.
COPY packages ./packages
COPY --from=console /app/packages/console/dist ./packages/console/dist
# Optional packages are the embedded Postgres: a container has DATABASE_URL instead. Half of what npm installs is
# never loaded: source maps, TypeScript, documents but licenses, tests, second builds of large packages, streams for a
# Node that has none, and maps of the world that are finer than the console's.
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund \
  && rm -r packages/console/src node_modules/preact node_modules/@preact node_modules/uplot node_modules/uqr node_modules/rolldown node_modules/@rolldown node_modules/@oxc-project \
  && find node_modules -type f \( -name '*.map' -o -name '*.[cm]ts' -o -name '*.ts' \
    -o -name '*.md' ! -iname 'licen[cs]e*' -o -path '*/bintrees/test/*' -o -path '*/bullmq/dist/esm/*' \
    -o -path '*/swagger-ui-dist/swagger-ui-es-*' -o -path '*/swagger-ui-dist/swagger-ui-standalone-*' \
    -o -path '*/swagger-ui-dist/swagger-ui.js' -o -path '*/luxon/build/amd/*' -o -path '*/luxon/build/cjs-browser/*' \
    -o -path '*/luxon/build/global/*' -o -path '*/web-streams-polyfill/dist/*' \
    -o -path '*/csv-parse/dist/cjs/*' -o -path '*/csv-parse/dist/iife/*' -o -path '*/csv-parse/dist/umd/*' \
    -o -path '*/@firebase/database/dist/index.cjs.js' -o -path '*/@firebase/database/dist/index.esm.js' \
    -o -path '*/@firebase/database/dist/index.standalone.js' -o -path '*/semantic-conventions/dist/experimental_*' \
    -o -path '*/semantic-conventions/dist/index-incubating.*' \
    -o -path '*/liquidjs/dist/liquid.browser.*' -o -path '*/world-atlas/*-10m.json' -o -path '*/world-atlas/land-*' \) -delete

# The Debian that Node's image is made of, and of that image only Node itself: npm, Yarn and headers stay behind.
FROM debian:trixie-slim
COPY --from=packages /usr/local/bin/node /usr/local/bin/node
# Fails now if a library that Node needs is missing on this architecture.
RUN node --version
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY bin ./bin
COPY migrations ./migrations
COPY --from=packages /app/packages ./packages
COPY src ./src
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 METRICS_PORT=9464
# A number, so that Kubernetes can see that it is not root. Nothing is written outside of memory.
USER 1000:1000
EXPOSE 8080 9464
# SIGTERM drains the process within 25 seconds: requests and pushes in flight end, slices are released.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT || process.env.PORT}/healthz`).then((reply) => process.exit(reply.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/carillon.js"]
CMD ["start"]
