// An authorization server with the clients in CLIENTS, whose users log in and consent on its development pages. It prints its
// issuer, and ends with its standard input.
import { createServer } from "node:http";
import Provider from "oidc-provider";

const server = createServer().listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const clients = JSON.parse(process.env.CLIENTS);
  const provider = new Provider(issuer, {
    clients: clients.map(({ pkce, ...client }) => client),
    // A client without PKCE shows nothing if PKCE is optional for all.
    pkce: { required: (ctx, client) => clients.find(({ client_id }) => client_id === client.clientId)?.pkce ?? true },
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (ctx, resource) => ({ scope: "read", audience: resource, accessTokenFormat: "jwt" }),
      },
    },
    // A refresh token is good for one use, and a user who revokes a token revokes the whole grant.
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
  });
  server.on("request", provider.callback());
  console.log(`issuer ${issuer}`);
});

process.stdin.on("end", () => process.exit()).resume();
