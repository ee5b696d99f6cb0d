-- Runs for each attempt but the first, before anything of it is written. Envoy counts its retries, but not their time: what was never
-- written goes out again only within the window (TW-CUS-011), which a connect that timed out has outlived. What was
-- written is a read, and goes out again however late that is (TW-CUS-010).

local METADATA = 'turnwire'

function envoy_on_request(handle)
  local headers = handle:headers()
  -- The bytes that the attempts before it have written.
  local written = headers:get(config.written_header)
  headers:remove(config.written_header)
  if written ~= '0' then return end
  local metadata = handle:streamInfo():dynamicMetadata()
  if handle:timestamp() - metadata:get(METADATA).request.at < config.retry_window_ms then return end
  metadata:set(METADATA, 'window_over', true)
  handle:respond({ [':status'] = '503' }, 'no attempt got as far as sending the request, and the time for more is over')
end
