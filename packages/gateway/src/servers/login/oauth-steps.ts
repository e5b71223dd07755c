/** The OAuth steps at an authorization server, built on the SDK. Loaded with the first login. */
import {
  type AuthorizationServerMetadata,
  ClientCredentialsProvider,
  discoverOAuthServerInfo,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  fetchToken,
  type OAuthClientInformationMixed,
  type OAuthDiscoveryState,
  OAuthError,
  OAuthErrorCode,
  type OAuthTokens,
  refreshAuthorization,
  registerClient,
  selectResourceURL,
  startAuthorization,
} from '@modelcontextprotocol/client'
import { LoginFailure, type PendingLogin, type RegisteredClient } from './login-record.ts'

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** The login parameters in a server's 401. */
export interface Challenge {
  readonly resourceMetadataUrl?: URL
  readonly scope?: string
}

/** The data that the steps at one authorization server share. */
export interface AuthorizationServer {
  readonly url: string
  readonly issuer: string
  readonly metadata: AuthorizationServerMetadata | undefined
  readonly resource: string | undefined
  readonly fetchFn: Fetch
}

/** Reads the challenge in an answer. */
export function challengeOf(header: string): Challenge {
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(
    new Response(null, { headers: { 'www-authenticate': header } }),
  )
  return { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) }
}

/** Discovers the authorization server of a server (RFC 9728, RFC 8414). */
export async function discover(
  serverUrl: string,
  fetchFn: Fetch,
  { resourceMetadataUrl }: Challenge,
): Promise<OAuthDiscoveryState> {
  const found = await discoverOAuthServerInfo(serverUrl, {
    fetchFn,
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
  })
  return { ...found, ...(resourceMetadataUrl && { resourceMetadataUrl: resourceMetadataUrl.href }) }
}

/** The discovered authorization server. Refuses metadata of another resource. */
export async function authorizationServer(
  serverUrl: string,
  found: OAuthDiscoveryState,
  fetchFn: Fetch,
): Promise<AuthorizationServer> {
  const { authorizationServerUrl: url, authorizationServerMetadata: metadata, resourceMetadata } = found
  // The SDK only checks whether the provider has a rule for resources. It has none.
  const noProvider = {} as Parameters<typeof selectResourceURL>[1]
  const selected = await selectResourceURL(serverUrl, noProvider, resourceMetadata)
  const resource = selected === undefined ? undefined : resourceMetadata?.resource
  return { url, issuer: metadata?.issuer ?? url, metadata, resource, fetchFn }
}

/** The scope to request: the configured one, else the one that the server requires. */
export function scopeOf(
  configured: string | undefined,
  challenge: Challenge,
  found: OAuthDiscoveryState,
): string | undefined {
  const supported = found.resourceMetadata?.scopes_supported
  const scope = configured ?? challenge.scope ?? (supported?.length ? supported.join(' ') : undefined)
  const mayStay = found.authorizationServerMetadata?.scopes_supported?.includes('offline_access') === true
  if (configured !== undefined || !mayStay || scope === undefined) return scope
  return scope.split(' ').includes('offline_access') ? scope : `${scope} offline_access`
}

/** Registers the gateway at the authorization server. */
export async function register(
  server: AuthorizationServer,
  redirectUri: string,
  scope: string | undefined,
): Promise<RegisteredClient> {
  if (server.metadata !== undefined && server.metadata.registration_endpoint === undefined) {
    throw new LoginFailure('its authorization server has no dynamic registration; configure auth.clientId')
  }
  const registered = await registerClient(server.url, {
    metadata: requireMetadata(server),
    clientMetadata: {
      client_name: 'Tooldex',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    ...(scope !== undefined && { scope }),
    fetchFn: server.fetchFn,
  })
  const { client_id: clientId, client_secret: clientSecret } = registered
  return { issuer: server.issuer, redirectUri, clientId, ...(clientSecret !== undefined && { clientSecret }) }
}

/** The login page, with PKCE, and the code verifier to keep until the login is finished. */
export async function startLogin(
  server: AuthorizationServer,
  client: RegisteredClient,
  options: { readonly state: string; readonly scope: string | undefined },
): Promise<{ readonly url: URL; readonly codeVerifier: string }> {
  const { state, scope } = options
  const started = await startAuthorization(server.url, {
    metadata: requireMetadata(server),
    clientInformation: clientInformation(client),
    redirectUrl: client.redirectUri,
    state,
    ...(scope !== undefined && { scope }),
    ...(server.resource !== undefined && { resource: server.resource }),
  })
  return { url: started.authorizationUrl, codeVerifier: started.codeVerifier }
}

/** Exchanges the authorization code for tokens. */
export function redeem(
  server: AuthorizationServer,
  client: RegisteredClient,
  pending: PendingLogin,
  given: { readonly code: string; readonly iss: string | undefined },
): Promise<OAuthTokens> {
  return exchangeAuthorization(server.url, {
    metadata: requireMetadata(server),
    clientInformation: clientInformation(client),
    authorizationCode: given.code,
    codeVerifier: pending.codeVerifier,
    redirectUri: pending.redirectUri,
    ...(given.iss !== undefined && { iss: given.iss }),
    ...(server.resource !== undefined && { resource: server.resource }),
    fetchFn: server.fetchFn,
  })
}

/** Renews tokens. */
export function refresh(
  server: AuthorizationServer,
  client: RegisteredClient,
  refreshToken: string,
): Promise<OAuthTokens> {
  return refreshAuthorization(server.url, {
    metadata: requireMetadata(server),
    clientInformation: clientInformation(client),
    refreshToken,
    ...(server.resource !== undefined && { resource: server.resource }),
    fetchFn: server.fetchFn,
  })
}

/** Gets tokens with the client credentials grant. */
export function clientCredentials(
  server: AuthorizationServer,
  client: { readonly clientId: string; readonly clientSecret: string },
  scope: string | undefined,
): Promise<OAuthTokens> {
  const provider = new ClientCredentialsProvider({
    ...client,
    expectedIssuer: server.issuer,
    ...(scope !== undefined && { scope }),
  })
  return fetchToken(provider, server.url, {
    metadata: requireMetadata(server),
    ...(server.resource !== undefined && { resource: server.resource }),
    ...(scope !== undefined && { scope }),
    fetchFn: server.fetchFn,
  })
}

/** Whether the authorization server refused the tokens or the client for good, so that a retry is useless. */
export function isFinal(error: unknown): boolean {
  const codes: readonly string[] = [
    OAuthErrorCode.InvalidGrant,
    OAuthErrorCode.InvalidClient,
    OAuthErrorCode.UnauthorizedClient,
  ]
  return error instanceof OAuthError && codes.includes(error.code)
}

/** The error code of an authorization server, without its other text. */
export function oauthCodeOf(error: unknown): string | undefined {
  return error instanceof OAuthError && /^[a-z_]{1,40}$/.test(error.code) ? error.code : undefined
}

/** Without metadata the SDK would guess addresses. */
function requireMetadata({ metadata }: AuthorizationServer): AuthorizationServerMetadata {
  if (metadata === undefined) throw new LoginFailure('it does not say where one logs in')
  return metadata
}

function clientInformation({ clientId, clientSecret }: RegisteredClient): OAuthClientInformationMixed {
  return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) }
}
