warm = set_current_temperature({temperature: 70});
return get_current_temperature();
