local owner, term, least = ARGV[3], ARGV[4], ARGV[5]
local ttl, priority, instance = tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8]

local free = not live and not held
local mine = live and l.owner == owner
if free or mine and l.term == term and less(l.term, least) then
  redis.call('HINCRBY', key, 'term', 1)
  if less(redis.call('HGET', key, 'term'), least) then set('term', least) end
  set('owner', owner, 'acquiredAt', whole(now), 'heartbeatAt', whole(now),
    'expiresAt', whole(now + ttl), 'ttlMs', whole(ttl),
    'priority', whole(priority), 'instance', instance)
  forget('released', 'releasedAt')
  forgetContender()
  return changed()
end

local contended = at('contenderExpiresAt') > now and l.contenderOwner ~= owner
if live and not held and not mine and priority > at('priority')
  and not (contended and at('contenderPriority') >= priority) then
  set('contenderOwner', owner, 'contenderPriority', whole(priority),
    'contenderExpiresAt', whole(now + math.floor(ttl / 2)), 'contenderInstance', instance)
  return changed()
end

return told()
