-- Runs for each attempt, before anything of it is written. Envoy counts its retries, but not their time: what was never
-- written goes out again only within the window (TW-CUS-011), which a connect that timed out has outlived. What was
-- written is a read, and goes out again however late that is (TW-CUS-010).

local METADATA = 'turnwire'

function envoy_on_request(handle)
  local headers = handle:headers()
  -- Which attempt this is, and the bytes that those before it have written.
  local told = headers:get(config.attempt_header) or ''
  headers:remove(config.attempt_header)
  local attempt, written = told:match('^(%d+) (%d+)$')
  if attempt == '1' or written ~= '0' then return end
  local metadata = handle:streamInfo():dynamicMetadata()
  if handle:timestamp() - metadata:get(METADATA).request.at < config.retry_window_ms then return end
  metadata:set(METADATA, 'window_over', true)
  handle:respond({ [':status'] = '503' }, 'no attempt got as far as sending the request, and the time for more is over')
end
