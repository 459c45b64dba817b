local owner = ARGV[3]

if l.contenderOwner == owner and forgetContender() then return changed() end

return told()
