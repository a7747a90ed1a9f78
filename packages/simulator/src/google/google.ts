/**
 * Simulates Google: the token endpoint and FCM's send call on one port, over HTTP/2 and HTTP/1.1 (which Google's own
 * token client uses).
 */
import { createGoogleAccounts } from './accounts.ts';
import { type GoogleError, googleErrorBody, googleStatus } from './error.ts';
import { createGoogleInstallations } from './installations.ts';
import { type GoogleJudgement, judgeMessage, tokenOfBody } from './message.ts';
import { type Exchange, keptHeaders, listen, type Reply } from '../listener.ts';
import { readJson } from '../read-json.ts';
import { type Servable, serve, type Shared } from '../answer-or-fault.ts';

export interface GoogleOptions extends Shared {
  port: number;
  /** Returns the token endpoint's URL for a port; service accounts contain it. */
  tokenUrl: (port: number) => string;
}

/** FCM's SETTINGS_MAX_CONCURRENT_STREAMS. */
const STREAMS_MAX = 100;
const TOKEN_PATH = '/token';
const SEND_PATH = /^\/v1\/projects\/([^/]+)\/messages:send$/;

export async function openGoogle(options: GoogleOptions) {
  const { clock, ledger } = options;
  let tokenUrl = '';
  const accounts = createGoogleAccounts(clock, () => tokenUrl);
  const installations = createGoogleInstallations();
  let messages = 0;

  const fail = (error: GoogleError): Reply => {
    ledger.refused('fcm', error.errorCode ?? googleStatus(error.code));
    return jsonReply(error.code, googleErrorBody(error));
  };

  const book = (exchange: Exchange, projectId: string, judgement: GoogleJudgement): Reply => {
    if (judgement.kind === 'refused') return fail(invalidArgument(judgement));
    const { to, nid, message, validateOnly } = judgement;
    const { token } = to;
    if (to.kind === 'fid' ? !installations.isKnown(token) : installations.hasMoved(token)) {
      return fail(UNREGISTERED);
    }
    if (validateOnly) {
      return jsonReply(200, JSON.stringify({ name: `projects/${projectId}/messages/fake_message_id` }));
    }
    if (to.kind === 'fid') installations.sentTo(token);
    messages += 1;
    const name = `projects/${projectId}/messages/0:${clock().getTime()}%${messages.toString(16)}`;
    ledger.took('fcm', token, nid, () => ({
      gateway: 'fcm',
      projectId,
      token,
      name,
      headers: keptHeaders(exchange),
      body: exchange.body.toString(),
      message,
      nid,
      at: clock(),
    }));
    return jsonReply(200, JSON.stringify({ name }));
  };

  const send = (exchange: Exchange, projectId: string): void => {
    const body = readJson(exchange.body.toString());
    const judge = (): Reply => {
      const allowed = accounts.projectOf(exchange.headers.authorization);
      if (allowed === undefined) return fail(UNAUTHENTICATED);
      if (allowed !== projectId) return fail(permissionDenied(projectId));
      return book(exchange, projectId, judgeMessage(body));
    };
    const token = tokenOfBody(body);
    serve(exchange, { gateway: 'fcm', environment: undefined, token, judge, answer: orderedError }, options);
  };

  const grant = (exchange: Exchange): void => {
    const judge = (): Reply => {
      const granted = accounts.grant(exchange.body.toString());
      if ('access_token' in granted) ledger.accepted('oauth');
      else ledger.refused('oauth', granted.error);
      return jsonReply('access_token' in granted ? 200 : 400, JSON.stringify(granted));
    };
    const whom = { gateway: 'oauth', environment: undefined, token: undefined } as const;
    serve(exchange, { ...whom, judge, answer: orderedDenial }, options);
  };

  const listener = await listen({
    ...options,
    streamsMax: STREAMS_MAX,
    protocols: () => ['h2', 'http/1.1'],
    onExchange: (exchange) => {
      const projectId = SEND_PATH.exec(exchange.path)?.[1];
      if (exchange.method === 'POST' && projectId !== undefined) send(exchange, projectId);
      else if (exchange.method === 'POST' && exchange.path === TOKEN_PATH) grant(exchange);
      else exchange.reply(NOT_FOUND);
    },
  });
  tokenUrl = options.tokenUrl(listener.port);
  return { port: listener.port, accounts, installations, close: () => listener.close() };
}

/** Google's front end answers an unknown path with an HTML page. */
const NOT_FOUND: Reply = {
  status: 404,
  headers: { 'content-type': 'text/html; charset=UTF-8' },
  body: '<!DOCTYPE html><html lang=en><title>Error 404 (Not Found)!!1</title></html>',
};

const UNAUTHENTICATED: GoogleError = {
  code: 401,
  message:
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
};

const UNREGISTERED: GoogleError = {
  code: 404,
  message: 'NotRegistered',
  errorCode: 'UNREGISTERED',
};

function permissionDenied(projectId: string): GoogleError {
  return {
    code: 403,
    message: `Permission 'cloudmessaging.messages.create' denied on resource '//cloudresourcemanager.googleapis.com/projects/${projectId}' (or it may not exist).`,
  };
}

function invalidArgument(judgement: Extract<GoogleJudgement, { kind: 'refused' }>): GoogleError {
  const { violations, ofFcm, isNamed } = judgement;
  return {
    code: 400,
    message: violations[0].description,
    ...(isNamed && { violations }),
    ...(ofFcm && { errorCode: 'INVALID_ARGUMENT' }),
  };
}

const orderedError: Servable['answer'] = ({ status: code, reason: errorCode }) => {
  const message = 'The simulator sent this answer because a fault was ordered.';
  return jsonReply(code, googleErrorBody({ code, message, errorCode }));
};

const orderedDenial: Servable['answer'] = ({ status, reason: error = 'internal_failure' }) =>
  jsonReply(status, JSON.stringify({ error }));

function jsonReply(status: number, body: string): Reply {
  return { status, headers: { 'content-type': 'application/json; charset=UTF-8' }, body };
}
