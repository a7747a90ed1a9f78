# syntax=docker/dockerfile:1
# The TypeScript runs as it stands: there is nothing to build, only production packages to install.
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# Optional packages are the embedded Postgres: a container has DATABASE_URL instead.
RUN npm ci --omit=dev --omit=optional && npm cache clean --force

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY bin ./bin
COPY migrations ./migrations
COPY src ./src
USER node
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/carillon.js"]
CMD ["start"]
