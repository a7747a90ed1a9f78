# docs/deploy.md says what the image holds and how to run it. test/deploy follows this file step by step.

FROM node:24-trixie-slim AS bundle
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages ./packages
# Bundles the pages of the console as well, with a bundler that is an optional package.
RUN npm ci --omit=dev --no-audit --no-fund
COPY migrations ./migrations
COPY scripts ./scripts
COPY src ./src
RUN node scripts/release/bundle-server.ts dist

# The Debian that Node's image is made of, and of that image only Node itself: npm, Yarn and headers stay behind.
FROM debian:trixie-slim
COPY --from=bundle /usr/local/bin/node /usr/local/bin/node
# Fails now if a library that Node needs is missing on this architecture.
RUN node --version
WORKDIR /app
COPY LICENSE ./
COPY bin ./bin
COPY --from=bundle /app/dist ./dist
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
